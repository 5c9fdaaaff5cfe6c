import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh machine, with some files to refer to. */
export interface Sandbox {
  root: string;
  home: string;
  cwd: string;
  otherCwd: string;
  /** Not created: an adapter says which files belong there and writes none. */
  scratch: string;
  folder: string;
  image: string;
  notes: string;
  /** A folder with a SKILL.md. */
  skill: string;
  env: Record<string, string>;
}

/** The smallest PNG. */
export const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * Runs in such a sandbox, with its HOME and little else in this process's environment, since several methods of an
 * adapter have no environment parameter. So checks must not run at the same time in one process.
 */
export async function inSandbox<T>(work: (place: Sandbox) => T | Promise<T>): Promise<T> {
  const place = createPlace();
  const before = { ...process.env };
  setEnvironment(place.env);
  try {
    return await work(place);
  } finally {
    setEnvironment(before);
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** Every file and folder below the sandbox, to find leftovers. */
export function contentsOf(place: Sandbox): string[] {
  return readdirSync(place.root, { recursive: true, encoding: 'utf8' }).sort();
}

function createPlace(): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agent-mux-contract-')));
  const at = (name: string) => join(root, name);
  for (const name of ['home', 'project', 'other-project', 'further-folder', 'contract-skill', 'empty']) {
    mkdirSync(at(name));
  }
  writeFileSync(at('image.png'), Buffer.from(IMAGE, 'base64'));
  writeFileSync(at('notes.txt'), 'a note\n');
  writeFileSync(
    at('contract-skill/SKILL.md'),
    '---\nname: contract-skill\ndescription: shows the contract\n---\nBe brief.\n',
  );
  const home = at('home');
  return {
    root,
    home,
    cwd: at('project'),
    otherCwd: at('other-project'),
    scratch: at('scratch'),
    folder: at('further-folder'),
    image: at('image.png'),
    notes: at('notes.txt'),
    skill: at('contract-skill'),
    env: { HOME: home, USERPROFILE: home, PATH: at('empty'), TMPDIR: tmpdir(), LANG: 'C.UTF-8' },
  };
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
