import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/*
 * The TypeScript examples of the papers. A line `expression // => JSON` states the expression's value; everything else only has to
 * compile and to run without throwing.
 */

export interface Fence {
  /** Paper and line, such as `README.md:12`. */
  readonly name: string
  readonly code: string
  /** False for a fence marked `ts no-run`: it needs what a test page does not have. */
  readonly runs: boolean
}

/** What a line says its expression is worth. */
export interface Claim {
  /** Line within the fence, from 1. */
  readonly line: number
  readonly json: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export const paperText = (paper: string): string => readFileSync(ROOT + paper, 'utf8')

/** Every fence of a paper that is marked `ts`. */
export const fencesOf = (paper: string): readonly Fence[] => {
  const text = paperText(paper)
  return [...text.matchAll(/^```ts( no-run)?\n([^]*?)^```$/gm)].map(({ index, 1: noRun, 2: code = '' }) => ({
    name: `${paper}:${text.slice(0, index).split('\n').length}`,
    code,
    runs: noRun === undefined,
  }))
}

const CLAIM = /^;?[ \t]*\/\/ => (.+)$/m

/** The claims of a fence, and its code as JavaScript in which each claimed expression reports to `saw(line, value)`. */
export const instrumented = ({ name, code }: Fence): { readonly script: string; readonly claims: readonly Claim[] } => {
  const source = ts.createSourceFile('fence.ts', code, ts.ScriptTarget.ES2022, true)
  const edits: { readonly start: number; readonly end: number; readonly line: number; readonly json: string }[] = []
  const visit = (node: ts.Node): void => {
    const claim = ts.isExpressionStatement(node) ? CLAIM.exec(restOfLine(code, node.getEnd())) : null
    if (claim?.[1] !== undefined && ts.isExpressionStatement(node)) {
      const [start, end] = [node.expression.getStart(), node.expression.getEnd()]
      edits.push({ start, end, line: source.getLineAndCharacterOfPosition(end).line + 1, json: claim[1] })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  const comments = code.split('\n').filter((line) => line.includes('// =>')).length
  if (comments !== edits.length) throw new Error(`${name}: a "// =>" stands behind something that is not an expression.`)
  const reporting = edits.reduceRight(
    (text, { start, end, line }) => `${text.slice(0, start)}saw(${line}, ${text.slice(start, end)})${text.slice(end)}`,
    code,
  )
  const { outputText } = ts.transpileModule(reporting, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  })
  return { script: outputText, claims: edits.map(({ line, json }) => ({ line, json })) }
}

const restOfLine = (code: string, at: number): string => code.slice(at, code.indexOf('\n', at))

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  types: [],
  paths: {
    palimpsest: [`${ROOT}dist/index.d.ts`],
    'palimpsest/llm': [`${ROOT}dist/llm.d.ts`],
    'palimpsest/agent': [`${ROOT}dist/agent.d.ts`],
  },
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
}

/** Declarations, which are the same for every program. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** The program of all fences, each a module of its own, against the declarations that ship. */
const programOf = (fences: readonly Fence[]): ts.Program => {
  const files = new Map(fences.map(({ name, code }) => [`${ROOT}${name.replace(':', '-')}.ts`, code]))
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.readFile = (path) => files.get(path) ?? readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    const code = files.get(path)
    if (code !== undefined) return ts.createSourceFile(path, code, version, true)
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, version, ...rest))
    return parsed.get(path)
  }
  return ts.createProgram([...files.keys()], OPTIONS, host)
}

/** What the compiler has to say about the fences, one line each. */
export const typeErrorsOf = (fences: readonly Fence[]): readonly string[] =>
  ts.getPreEmitDiagnostics(programOf(fences)).map(({ file, start, messageText }) => {
    const place = file === undefined ? '' : `${file.fileName.slice(ROOT.length)} line ${lineOf(file, start ?? 0)}: `
    return place + ts.flattenDiagnosticMessageText(messageText, '\n')
  })

const lineOf = (file: ts.SourceFile, at: number): number => file.getLineAndCharacterOfPosition(at).line + 1

/** The types that the package exports under these names. */
const exportedTypes = (names: readonly string[]) => {
  const name = 'members'
  const code = names.map((type) => `export type { ${type} } from 'palimpsest'`).join('\n')
  const program = programOf([{ name, code, runs: false }])
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(`${ROOT}${name}.ts`)
  const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
  const types = new Map(
    symbols.map((symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol))]),
  )
  return { checker, types }
}

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type])

/** The names of all members of types that the package exports. */
export const membersOfExported = (typeNames: readonly string[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...exportedTypes(typeNames).types].map(([name, type]) => [
      name,
      [...new Set(partsOf(type).flatMap((part) => part.getProperties().map((member) => member.name)))],
    ]),
  )

/** The words that types of the package allow, or that a member of theirs does. */
export const literalsOfExported = (memberOf: Readonly<Record<string, string | null>>): readonly string[] => {
  const { checker, types } = exportedTypes(Object.keys(memberOf))
  return [...types].flatMap(([name, type]) => {
    const member = type.getProperty(memberOf[name] ?? '')
    return partsOf(member === undefined ? type : checker.getTypeOfSymbol(member)).flatMap((part) =>
      part.isStringLiteral() ? [part.value] : [],
    )
  })
}
