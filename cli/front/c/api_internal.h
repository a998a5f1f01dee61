/* api_internal.h - libclang's entry points, loaded when something is first parsed.
 *
 * A program that is linked to libclang pays 14 ms whenever it starts; most commands that find everything up to date need none
 * of it. CLANG_FUNCTIONS lists what is used, once; clang_load fills `clang` from it.
 */
#ifndef CLANG_API_H
#define CLANG_API_H

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>

#include "base/mem.h"

/* getCursorBinaryOperatorKind is what makes 17 the oldest version that serves. */
#define CLANG_FUNCTIONS(X)                                                                                             \
    X(createIndex) X(disposeIndex) X(parseTranslationUnit2) X(disposeTranslationUnit) X(getNumDiagnostics)             \
    X(getDiagnostic) X(disposeDiagnostic) X(getDiagnosticSeverity) X(getDiagnosticSpelling) X(getDiagnosticLocation)   \
    X(getCString) X(disposeString) X(getTranslationUnitCursor) X(visitChildren) X(getCursorKind) X(getCursorSpelling)  \
    X(getCursorLocation) X(getCursorExtent) X(getCursorType) X(getCursorResultType) X(getCursorLinkage)                \
    X(getCursorReferenced) X(getCanonicalCursor) X(getCursorSemanticParent) X(isCursorDefinition) X(isExpression)      \
    X(isStatement) X(isReference) X(isAttribute) X(getNullCursor) X(Cursor_hasAttrs) X(getSpellingLocation)            \
    X(Location_isInSystemHeader)                                                                                       \
    X(hashCursor) X(equalCursors) X(Cursor_isNull) X(Cursor_getNumArguments) X(Cursor_getArgument)                     \
    X(Cursor_getStorageClass) X(Cursor_isFunctionInlined) X(Cursor_isVariadic) X(Cursor_Evaluate)                      \
    X(Cursor_isAnonymousRecordDecl) X(Cursor_getVarDeclInitializer) X(EvalResult_getKind) X(EvalResult_getAsLongLong)  \
    X(EvalResult_dispose) X(getCursorBinaryOperatorKind) X(getCursorUnaryOperatorKind) X(getEnumConstantDeclValue) X(getEnumConstantDeclUnsignedValue)     \
    X(getEnumDeclIntegerType) X(getCanonicalType) X(getTypeSpelling) X(getTypeDeclaration)                             \
    X(getTypedefDeclUnderlyingType) X(getUnqualifiedType) X(isConstQualifiedType) X(isRestrictQualifiedType)           \
    X(getPointeeType) X(getArrayElementType) X(getArraySize) X(getElementType) X(getResultType) X(getNumArgTypes)      \
    X(getArgType) X(isFunctionTypeVariadic) X(Type_getNamedType) X(Type_getModifiedType) X(Type_getSizeOf)             \
    X(Type_visitFields) X(getFile) X(getFileName) X(getFileContents) X(File_isEqual) X(getExpansionLocation)           \
    X(getFileLocation) X(getRangeStart) X(getRangeEnd) X(getInclusions) X(CompilationDatabase_fromDirectory)           \
    X(CompilationDatabase_dispose) X(CompilationDatabase_getCompileCommands) X(CompileCommands_dispose)                \
    X(CompileCommands_getSize) X(CompileCommands_getCommand) X(CompileCommand_getDirectory)                            \
    X(CompileCommand_getNumArgs) X(CompileCommand_getArg)

struct clang_api {
#define X(name) __typeof__(clang_##name) *name;
    CLANG_FUNCTIONS(X)
#undef X
};

extern struct clang_api clang;

/* Loads libclang once. `given`: the one to load, or NULL to search. EXIT_DONE, or EXIT_ENVIRONMENT after one message that
 * lists the places tried. */
int clang_load(struct arena *arena, const char *given);

/* Path of the library that was loaded, without links. */
const char *clang_library_path(struct arena *arena);

/* clang calls a structure without a name by the place of its declaration, which may be an absolute path: of "struct (unnamed
 * struct at FILE:1:2)" this leaves "struct (unnamed struct)". The text itself where there is nothing to leave out. */
const char *clang_without_places(struct arena *arena, const char *text);

/* A copy of the string, which is disposed of. */
const char *clang_take_string(struct arena *arena, CXString string);

#endif
