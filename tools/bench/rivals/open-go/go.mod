module curt.example/rival/open-go

go 1.24
