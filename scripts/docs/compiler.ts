/**
 * The types of the contract as the compiler knows them, with their comments. The interface of TypeScript 7 that is used here
 * calls itself unstable; the compiler is pinned, and this file is the only one that knows it.
 */
import { join } from 'node:path';
import { API, type Checker, SymbolFlags, type Symbol as TypeSymbol } from 'typescript/unstable/sync';

const ROOT = join(import.meta.dirname, '../..');
/** It imports all the others. */
const PROJECT = 'packages/cli/tsconfig.json';

export interface Types {
  checker: Checker;
  /** The text of a file of the repository. */
  text(file: string): string;
  /** What a file of the repository exports by this name. */
  exported(file: string, name: string): TypeSymbol;
  close(): void;
}

/** What is written above it, on one line. */
export function commentOf({ checker }: Types, symbol: TypeSymbol): string {
  return symbol.getDocumentationComment(checker).replace(/\s+/g, ' ').trim();
}

export function openTypes(): Types {
  const api = new API({ cwd: ROOT });
  const config = join(ROOT, PROJECT);
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (!project) throw new Error(`cannot open ${PROJECT}`);
  const { checker, program } = project;
  const sourceOf = (file: string) => {
    const source = program.getSourceFile(join(ROOT, file));
    if (!source) throw new Error(`${file} not found, or no file imports it`);
    return source;
  };
  return {
    checker,
    text: (file) => sourceOf(file).text,
    exported(file, name) {
      const module = checker.getSymbolAtLocation(sourceOf(file));
      const found = module && checker.getMemberInModuleExports(module, name);
      if (!found) throw new Error(`${file} does not export ${name}`);
      return (found.flags & SymbolFlags.Alias) === 0 ? found : checker.getAliasedSymbol(found);
    },
    close: () => api.close(),
  };
}
