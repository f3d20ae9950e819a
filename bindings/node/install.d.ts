// Has no exports: `import "curt-fs/install"` puts curt's functions in the place of Node's.
export {};
