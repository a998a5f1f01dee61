/* check_report.c - see check_report.h. */
#include "check_report.h"

#include "base/json_write.h"

static void
report_finding(struct json_writer *writer, const struct finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    json_begin(writer, NULL, '{');
    json_text(writer, "severity", severities[finding->severity]);
    json_text(writer, "code", finding->code);
    json_text(writer, "file", finding->place.file);
    json_place_number(writer, "line", finding->place.line);
    json_place_number(writer, "column", finding->place.column);
    json_text(writer, "kernel", finding->kernel);
    json_text(writer, "text", finding->text);
    json_end(writer, '}');
}

void
check_report(struct text *out, const struct finding *findings, int n)
{
    struct json_writer writer = {.out = out, .flat_from = 2};
    json_begin(&writer, NULL, '{');
    json_begin(&writer, "findings", '[');
    for (int i = 0; i < n; i++)
        report_finding(&writer, &findings[i]);
    json_end(&writer, ']');
    json_end(&writer, '}');
    text_add(out, "\n");
}
