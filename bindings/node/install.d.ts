// Has no exports: `import "curt-fs/install"` replaces Node's own functions by curt's.
export {};
