import { deepStrictEqual, ok } from 'node:assert/strict';
import { type AgentMode, BASE_ENV_ALLOW_LIST, buildChildEnv, WINDOWS_ENV_ALLOW_LIST } from '@agent-mux/core';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { shareKey } from '../launch.ts';
import { reachesOf } from '../pure-work.ts';
import { inSandbox } from '../sandbox.ts';
import type { Subject } from '../subject.ts';
import { allOptions } from './check-launch.ts';

/** Variables of a developer or a build machine that an agent must not get. */
const SECRETS: Readonly<Record<string, string>> = {
  GITHUB_TOKEN: 'contract-canary-github',
  AWS_SECRET_ACCESS_KEY: 'contract-canary-aws',
  NPM_TOKEN: 'contract-canary-npm',
  DATABASE_URL: 'contract-canary-database',
  OPENAI_API_KEY: 'contract-canary-openai',
  ANTHROPIC_API_KEY: 'contract-canary-anthropic',
  CI_JOB_TOKEN: 'contract-canary-ci',
  CLAUDECODE: 'contract-canary-claudecode',
};
/** Variables that a wildcard must not pass: foreign secrets, and those that make a program run foreign code. */
const NOBODYS = [
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'NPM_TOKEN',
  'DATABASE_URL',
  'CI_JOB_TOKEN',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'PYTHONPATH',
  'SSH_ASKPASS',
];
const CODE_VARIABLES = [
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'BASH_ENV',
  'PERL5OPT',
];

/** Environment variables of the machine that reach the agent. */
export function environmentChecks(subject: Subject): ContractCheck[] {
  const { adapter } = subject;
  const lists = aboutTopic('its environment', (show) => {
    show('passes variables by name, or by its own prefix', () => {
      for (const pattern of adapter.envAllowList ?? []) {
        ok(/^\w+(?:_\*)?$/.test(pattern), `envAllowList: "${pattern}" is neither a name nor PREFIX_*`);
        if (!pattern.endsWith('*')) continue;
        ok(/^[A-Za-z]\w+_\*$/.test(pattern), `envAllowList: "${pattern}" is too short for an own prefix`);
        const prefix = pattern.slice(0, -1);
        const others = NOBODYS.filter((name) => name.startsWith(prefix));
        deepStrictEqual(others, [], `envAllowList: "${pattern}" passes these of other programs; list the needed ones`);
      }
      const code = CODE_VARIABLES.filter((name) => adapter.envAllowList?.includes(name));
      deepStrictEqual(code, [], 'envAllowList: these make the agent run code of others');
    });
    show('is detected by its own variables, not by common ones', () => {
      const child = (names: readonly string[]) => buildChildEnv({ hostEnv: valuesOf(names), platform: 'linux' });
      const signals = adapter.hostEnvSignals ?? [];
      for (const signal of signals) ok(/^\w+\*?$/.test(signal), `hostEnvSignals: "${signal}" is not a name`);
      const everyday = [...BASE_ENV_ALLOW_LIST, ...WINDOWS_ENV_ALLOW_LIST];
      const taken = signals.filter((signal) => {
        const prefix = signal.replace(/\*$/, '');
        return everyday.includes(signal) || prefix === '' || Object.keys(child([signal])).length > 0;
      });
      deepStrictEqual(
        taken,
        [],
        'hostEnvSignals are removed from every child of every agent, and no program works without',
      );
    });
  });
  return [...lists, ...subject.modes.flatMap((mode) => modeChecks(subject, mode))];
}

function modeChecks(subject: Subject, mode: AgentMode): ContractCheck[] {
  const { adapter } = subject;
  return aboutTopic(`the launch in mode "${mode.name}"`, (show) => {
    show("carries nothing of the host's environment", () =>
      inSandbox((place) => {
        Object.assign(process.env, SECRETS);
        for (const { name, resolved } of allOptions(subject, mode, place)) {
          const launched =
            JSON.stringify(orRefusal(() => adapter.buildSpawnArgs(resolved, createHandedEnv(subject)))) ?? '';
          const carried = Object.entries(SECRETS).filter(([, value]) => launched.includes(value));
          deepStrictEqual(
            carried.map(([variable]) => variable),
            [],
            `${name}: the engine gives the agent what envAllowList lets pass; SpawnArgs holds no more of it`,
          );
        }
      }),
    );
    show('does not access the machine and uses only the given environment', () =>
      inSandbox((place) => {
        const every = allOptions(subject, mode, place);
        const env = createHandedEnv(subject);
        const reaches = reachesOf(() => {
          for (const { resolved } of every) {
            orRefusal(() => adapter.buildSpawnArgs(resolved, env));
            orRefusal(() => shareKey(mode, resolved));
          }
        });
        deepStrictEqual(reaches, [], 'a launch follows from the options and from the variables that it is handed');
      }),
    );
  });
}

/** The variables that the engine passes from this process's environment. */
function createHandedEnv({ adapter: { envAllowList } }: Subject): Record<string, string> {
  return buildChildEnv({ hostEnv: process.env, envAllowList });
}

function valuesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'x']));
}

/** An error is shown to the caller, and must not contain more than the launch. */
function orRefusal(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return String(error);
  }
}
