module curt.invalid/rivals/go

go 1.21
