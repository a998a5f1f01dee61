/* bare_parse.c - the least that any libclang program does with a header: parses it and lets go. The measure for inspect. */
#include <clang-c/Index.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    const char *arguments[] = {"-xc", "-std=gnu17"};
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode error = clang_parseTranslationUnit2(index, argv[1], arguments, 2, NULL, 0, CXTranslationUnit_None, &unit);
    if (error != CXError_Success)
        return 1;
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return 0;
}
