import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { PolicyVerdict } from '../src/contract/policy.ts';
import { PolicyStore } from '../src/policy/policy-store.ts';
import type { PolicyRequest } from '../src/policy/resource.ts';

export interface PolicyScratch {
  home: string;
  /** A repository. */
  project: string;
  env: NodeJS.ProcessEnv;
  store: PolicyStore;
  userFile: string;
  projectFile: string;
  write(file: string, content: unknown): void;
  /** Writes to the user's file. */
  rules(...rules: unknown[]): void;
  projectRules(...rules: unknown[]): void;
  ask(options: TestRequest): PolicyVerdict;
  requestOf(options: TestRequest): PolicyRequest;
}

export interface TestRequest extends Partial<PolicyRequest['request']> {
  agent?: string;
  cwd?: string;
  session?: string;
  isLocal?: boolean;
  trustProject?: boolean;
}

/** Homes with a project in them, and a policy store. */
export function usePolicy(): () => PolicyScratch {
  const homes: string[] = [];
  afterAll(() => {
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });
  return () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'policy-')));
    homes.push(home);
    const project = join(home, 'repo');
    mkdirSync(join(project, '.git'), { recursive: true });
    const env = { HOME: home };
    const store = new PolicyStore({ env });
    const userFile = join(home, '.config', 'agent-mux', 'config.json');
    const projectFile = join(project, '.agent-mux', 'config.json');
    const write = (file: string, content: unknown) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    };
    const requestOf = ({ agent = 'claude', cwd = project, session, isLocal = true, ...request }: TestRequest) => ({
      agent,
      cwd,
      isLocal,
      ...(session === undefined ? {} : { session }),
      request: { toolName: 'Bash', kind: 'execute' as const, title: 'a tool', ...request },
    });
    return {
      home,
      project,
      env,
      store,
      userFile,
      projectFile,
      write,
      rules: (...rules) => write(userFile, { policy: { rules } }),
      projectRules: (...rules) => write(projectFile, { policy: { rules } }),
      ask: ({ trustProject = false, ...options }) => store.decide(requestOf(options), trustProject),
      requestOf,
    };
  };
}
