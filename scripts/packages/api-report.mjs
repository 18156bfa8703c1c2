/** The exports of an entry point as callers see them: declarations without comments and private members. */
import { dirname, relative } from 'node:path';
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true });

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};

/**
 * The reports of a library, one for each entry point.
 *
 * @param entryPoints `{ specifier, types }`: how each is imported, and its .d.ts file
 */
export function describeEntryPoints(entryPoints) {
  const files = entryPoints.map(({ types }) => types);
  const program = ts.createProgram(files, OPTIONS);
  const checker = program.getTypeChecker();
  const reader = new DeclarationReader(
    checker,
    files[0].slice(0, files[0].lastIndexOf('/build/') + 7),
  );
  const exported = files.map((file) => exportsOf(program.getSourceFile(file), checker, reader));
  const nameable = new Set(exported.flat().map(({ target }) => target));
  return entryPoints.map(({ specifier }, index) =>
    [
      `# ${specifier}`,
      'Written by `npm run api`.',
      ...section('Exports', reader, exported[index]),
      ...section(
        'Not exported, but used by exported declarations',
        reader,
        reader.reachedFrom(exported[index], nameable),
      ),
    ].join('\n\n'),
  );
}

function exportsOf(source, checker, reader) {
  if (source === undefined) throw new Error('The built types are missing: run "npm run build"');
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((symbol) => ({ name: symbol.name, target: reader.resolve(symbol) }))
    .sort(byName);
}

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function section(title, reader, entries) {
  if (entries.length === 0) return [];
  const blocks = entries.map(({ name, target }) => {
    const code = ['```ts', reader.print(target), '```'].join('\n');
    return [`### ${name}`, code].join('\n\n');
  });
  return [`## ${title}`, ...blocks];
}

class DeclarationReader {
  #checker;
  #build;

  constructor(checker, build) {
    this.#checker = checker;
    this.#build = build;
  }

  resolve(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  print(symbol) {
    if (!this.#isOurs(symbol)) return `export { ${symbol.name} } from '${packageOf(symbol)}';`;
    return symbol.declarations
      .map((declaration) => {
        const node = publicPart(statementOf(declaration));
        return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
      })
      .join('\n');
  }

  /** Our types that an importer meets without being able to name them. */
  reachedFrom(exported, nameable) {
    const reached = new Set(exported.map(({ target }) => target));
    for (const symbol of reached) {
      if (!this.#isOurs(symbol)) continue;
      for (const next of this.#namedIn(symbol)) if (!nameable.has(next)) reached.add(next);
    }
    return [...reached]
      .filter((symbol) => !nameable.has(symbol))
      .map((symbol) => ({ name: symbol.name, target: symbol }))
      .sort(byName);
  }

  #namedIn(symbol) {
    const found = [];
    const visit = (node) => {
      // Callers never see the arguments with which Nest or this library calls constructors.
      if (isPrivate(node) || ts.isConstructorDeclaration(node)) return;
      if (ts.isIdentifier(node)) {
        const target = this.#checker.getSymbolAtLocation(node);
        if (target !== undefined) found.push(this.resolve(target));
      }
      ts.forEachChild(node, visit);
    };
    for (const declaration of symbol.declarations) visit(statementOf(declaration));
    return found.filter((target) => this.#isOurs(target) && isTopLevel(target));
  }

  #isOurs(symbol) {
    return symbol.declarations?.[0]?.getSourceFile().fileName.startsWith(this.#build) ?? false;
  }
}

/** The statement of a constant's declaration, which has the keyword `const`. */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function isTopLevel(symbol) {
  return symbol.declarations.some(
    (declaration) =>
      ts.isSourceFile(statementOf(declaration).parent) &&
      !ts.isSourceFile(declaration) &&
      !ts.isImportDeclaration(declaration),
  );
}

function isPrivate(node) {
  if (!ts.isClassElement(node)) return false;
  if (node.name !== undefined && ts.isPrivateIdentifier(node.name)) return true;
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0;
}

function publicPart(node) {
  if (!ts.isClassDeclaration(node)) return node;
  const members = node.members.filter((member) => !isPrivate(member));
  const { modifiers, name, typeParameters, heritageClauses } = node;
  return ts.factory.updateClassDeclaration(
    node,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members,
  );
}

function packageOf(symbol) {
  const path = symbol.declarations[0].getSourceFile().fileName;
  const library = /\/libs\/([\w-]+)\/(?:build|dist)\//.exec(path);
  if (library) return library[1];
  return (
    /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/[^]*$/.exec(path)?.[1] ?? relative(dirname(path), path)
  );
}
