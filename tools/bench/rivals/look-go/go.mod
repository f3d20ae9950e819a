module curt.invalid/rivals/look-go

go 1.22
