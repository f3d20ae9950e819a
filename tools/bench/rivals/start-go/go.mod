module curt.invalid/rivals/start-go

go 1.22
