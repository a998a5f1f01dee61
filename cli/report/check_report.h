/* check_report.h - the findings of `check --json`. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "base/diag.h"
#include "base/mem.h"

/* Appends one object to `out`: {"findings": [{"severity", "code", "file", "line", "column", "kernel", "text"}...]}, ended by
 * a newline. file, kernel and code are null and line and column 0 where they are not known. */
void check_report(struct text *out, const struct finding *findings, int n);

#endif
