/* cmd_check.c - `pkwrap check`: does what the manifest declares still hold? For CI. */
#include <stdio.h>

#include "report/check_report.h"
#include "report/check_writes.h"
#include "base/diag.h"
#include "base/files.h"
#include "pipeline/generated.h"
#include "report/observed.h"
#include "base/options.h"
#include "pipeline/plan_load.h"

static int
write_fixed(const struct options *options, const char *path, const struct manifest *manifest,
            const struct fixes *fixes)
{
    struct arena arena;
    struct text text = {0};
    arena_init(&arena);
    fixes_text(&text, &arena, manifest, fixes);
    int status = file_write(path, text.data, text.length, NULL);
    if (status == EXIT_DONE && !options->quiet && !options->json)
        printf("%s: %d change%s\n", path, fixes->n, fixes->n == 1 ? "" : "s");
    text_release(&text);
    arena_release(&arena);
    return status;
}

/* Rewrites a manifest by what the analysis proves. What cannot be mended is left to the check that follows. */
static int
fix_manifest(const struct options *options, const struct observed *observed, const char *path)
{
    struct arena arena;
    struct diag diag;
    struct manifest manifest = {0};
    struct model model = {0};
    struct fixes fixes = {0};
    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.quiet = true;
    struct plan plan = {.arena = &arena};
    const struct plan_request request = {.manifest = path, .options = options, .leave_writes = true,
                                         .manifest_out = &manifest, .model_out = &model};
    int status = plan_load(&plan, &arena, &diag, &request);
    if (status != EXIT_ENVIRONMENT) {
        if (observed != NULL)
            observed_apply(observed, &model, &manifest);
        check_writes(&diag, &manifest, &model, &fixes);
        status = fixes.n > 0 ? write_fixed(options, path, &manifest, &fixes) : EXIT_DONE;
    }
    arena_release(&arena);
    return status;
}

static void
take_observations(const struct options *options, const struct observed *observed, struct model *model,
                  const struct manifest *manifest)
{
    struct text report = {0};
    observed_report(&report, observed, model, manifest);
    if (!options->quiet && !options->json)
        fwrite(report.data, 1, report.length, stdout);
    text_release(&report);
    observed_apply(observed, model, manifest);
}

/* Checks one manifest. EXIT_DONE also after findings: `diag` has them; EXIT_ENVIRONMENT after a message. */
static int
check_manifest(const struct options *options, struct diag *diag, const struct observed *observed, const char *path)
{
    struct manifest manifest = {0};
    struct model model = {0};
    struct plan plan = {.arena = diag->arena};
    const struct plan_request request = {.manifest = path, .options = options, .leave_writes = true,
                                         .manifest_out = &manifest, .model_out = &model};
    int status = plan_load(&plan, diag->arena, diag, &request);
    if (status == EXIT_ENVIRONMENT)
        return status;
    if (observed != NULL)
        take_observations(options, observed, &model, &manifest);
    check_writes(diag, &manifest, &model, NULL);
    if (status == EXIT_DONE)
        generated_check(&plan, diag, options->output);
    return EXIT_DONE;
}

static void
print_verdict(const struct options *options, const struct diag *diag)
{
    if (options->quiet || options->json)
        return;
    if (diag->n_errors + diag->n_warnings == 0)
        printf("%d manifest%s checked: nothing found\n", options->n_files, options->n_files == 1 ? "" : "s");
    else
        printf("%d manifest%s checked: %d error%s, %d warning%s\n", options->n_files, options->n_files == 1 ? "" : "s",
               diag->n_errors, diag->n_errors == 1 ? "" : "s", diag->n_warnings, diag->n_warnings == 1 ? "" : "s");
}

int
cmd_check(const struct options *options)
{
    struct arena arena;
    struct diag diag;
    int status = EXIT_DONE;
    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.quiet = options->json;
    diag.werror = options->werror;
    struct observed file, *observed = options->observed != NULL ? &file : NULL;
    if (observed != NULL && observed_read(observed, &arena, &diag, options->observed) != EXIT_DONE)
        observed = NULL; /* a finding like others */
    for (int i = 0; i < options->n_files && status == EXIT_DONE; i++) {
        if (options->fix)
            status = fix_manifest(options, observed, options->files[i]);
        if (status == EXIT_DONE)
            status = check_manifest(options, &diag, observed, options->files[i]);
    }
    if (options->json) {
        struct text report = {0};
        check_report(&report, diag.findings, diag.n_findings);
        fwrite(report.data, 1, report.length, stdout);
        text_release(&report);
    }
    print_verdict(options, &diag);
    if (status == EXIT_DONE && diag.n_errors > 0)
        status = EXIT_INPUT;
    arena_release(&arena);
    return status;
}
