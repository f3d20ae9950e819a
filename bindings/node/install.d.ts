// No exports: `import "curt-fs/install"` replaces Node's functions with curt's.
export {};
