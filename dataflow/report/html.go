package report

func (r *Report) HTML(source string) (string, error) { return "", nil }
