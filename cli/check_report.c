/* check_report.c - see check_report.h. */
#include "check_report.h"

#include "json_write.h"

static void report_finding(struct text *out, const struct finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    text_add(out, "{\"severity\": ");
    json_write_string(out, severities[finding->severity]);
    text_add(out, ", \"code\": ");
    json_write_string(out, finding->code);
    text_add(out, ", \"file\": ");
    json_write_string(out, finding->place.file);
    text_printf(out, ", \"line\": %d, \"column\": %d, \"kernel\": ", finding->place.line, finding->place.column);
    json_write_string(out, finding->kernel);
    text_add(out, ", \"text\": ");
    json_write_string(out, finding->text);
    text_add(out, "}");
}

void check_report(struct text *out, const struct finding *findings, int n)
{
    text_add(out, "{\"findings\": [");
    for (int i = 0; i < n; i++) {
        text_add(out, i == 0 ? "\n  " : ",\n  ");
        report_finding(out, &findings[i]);
    }
    text_add(out, n > 0 ? "\n]}\n" : "]}\n");
}
