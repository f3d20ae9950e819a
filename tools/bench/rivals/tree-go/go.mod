module curt.invalid/rivals/tree-go

go 1.21
