import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Pages with complete TypeScript examples. The reference quotes declarations instead. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/daemon-client.md',
  'docs/sdk.md',
  ...globSync('packages/*/README.md', { cwd: ROOT }),
].sort();
/** A virtual folder: the compiler reads its files from memory. */
const FOLDER = join(ROOT, 'docs-code');
const CONFIG = join(FOLDER, 'tsconfig.json');

interface Block {
  /** Page and line. */
  from: string;
  code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ 1: code = '', index }) => ({
    from: `${page}:${text.slice(0, index).split('\n').length}`,
    code,
  }));
}

/** Diagnostics of all blocks, with the position of the block. */
function compile(blocks: readonly Block[]): string[] {
  const files = new Map([
    [
      CONFIG,
      JSON.stringify({ extends: '../tsconfig.base.json', compilerOptions: { noEmit: true }, include: ['*.ts'] }),
    ],
    ...blocks.map(({ code }, at) => [join(FOLDER, `block${at}.ts`), code] as const),
  ]);
  const names = [...files.keys()].map((file) => file.slice(FOLDER.length + 1));
  const api = new API({
    cwd: ROOT,
    fs: {
      readFile: (file) => files.get(file),
      fileExists: (file) => files.has(file) || undefined,
      directoryExists: (folder) => folder === FOLDER || undefined,
      getAccessibleEntries: (folder) => (folder === FOLDER ? { files: names, directories: [] } : undefined),
    },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG);
    if (!project) throw new Error('cannot compile the blocks');
    return blocks.flatMap(({ from }, at) => {
      const file = join(FOLDER, `block${at}.ts`);
      const issues = [
        ...project.program.getSyntacticDiagnostics(file),
        ...project.program.getSemanticDiagnostics(file),
      ];
      return issues.map(({ text }) => `${from}: ${text}`);
    });
  } finally {
    api.close();
  }
}

describe('TypeScript in the docs', () => {
  it('compiles', { timeout: 60_000 }, () => {
    const blocks = PAGES.flatMap(blocksOf);
    expect(blocks.length).toBeGreaterThan(8);
    expect(compile(blocks)).toEqual([]);
  });

  it('fails for an unknown member', { timeout: 60_000 }, () => {
    const code = "import { createClient } from 'agent-mux';\ncreateClient().runs({ agent: 'demo' });\n";
    expect(compile([{ from: 'here', code }])).toEqual([expect.stringContaining("'runs' does not exist")]);
  });
});

/** A project with agent-mux installed and an empty home. */
function newProject(): { home: string; cwd: string } {
  const home = mkdtempSync(join(tmpdir(), 'agent-mux-docs-'));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  return { home, cwd };
}

describe('examples that need no account', () => {
  const project = newProject();
  afterAll(() => rmSync(project.home, { recursive: true, force: true }));
  const shown = PAGES.flatMap(blocksOf).filter(({ code }) => !code.includes("agent: 'claude'"));

  it.each(shown.map(({ from, code }) => [from, code] as const))('run: %s', { timeout: 90_000 }, (_, code) => {
    const flags = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];
    const env = {
      HOME: project.home,
      DEMO_SPEED: '0',
      PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    };
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [...flags, '--input-type=module-typescript', '--eval', code],
      { cwd: project.cwd, env, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });
});
