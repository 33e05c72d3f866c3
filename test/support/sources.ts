import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NOT_OURS = new Set(['node_modules', 'dist', '.cache', '.git'])

/** One source file; its path is relative to the repository and has forward slashes, like all paths here. */
export interface Source {
  readonly path: string
  readonly text: string
}

export interface Import {
  /** Path of one of our files, or the name of a package. */
  readonly target: string
  readonly ours: boolean
  /** Vanishes at build time. `import { type A }` does not: the module is still loaded. */
  readonly typeOnly: boolean
}

/** Every folder below the repository's root that holds our own files. */
export const foldersOf = (folder = ''): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      return [path, ...foldersOf(path)]
    })

/** The TypeScript sources of some folders, declaration files left out. */
export const sourcesIn = (...folders: readonly string[]): Source[] =>
  folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** All imports and re-exports of a source, dynamic ones and those in types included. */
export const importsOf = (source: Source): Import[] => {
  const imports: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (specifier && ts.isStringLiteralLike(specifier)) imports.push({ ...targetOf(source.path, specifier.text), typeOnly })
  }
  eachNode(source, (node) => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node)) add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], false)
  })
  return imports
}

/** Calls `visit` with every node of a source. */
export const eachNode = (source: Source, visit: (node: ts.Node) => void): void => {
  const walk = (node: ts.Node): void => {
    visit(node)
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true))
}

const targetOf = (from: string, specifier: string): Pick<Import, 'target' | 'ours'> => {
  if (specifier.startsWith('.')) {
    const path = normalize(join(dirname(from), specifier)).replaceAll('\\', '/')
    return { target: path.replace(/\.js$/, '.ts'), ours: true }
  }
  const parts = specifier.split('/')
  return { target: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/'), ours: false }
}
