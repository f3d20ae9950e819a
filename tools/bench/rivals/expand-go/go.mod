module curt.invalid/rivals/expand-go

go 1.21
