import { createRequire } from 'node:module';
import { compareVersions } from '../binaries/version.ts';
import type { ConfigIssue } from '../documents/document.ts';
import { MIN_NODE_VERSION } from '../node-version.ts';
import { detectHost } from '../registry/host.ts';
import type { CheckResult } from './agent-checks.ts';
import type { DoctorContext } from './doctor.ts';

const PTY_PACKAGE = '@lydell/node-pty';

function checkNode(): CheckResult[] {
  const { node: version } = process.versions;
  if (compareVersions(version, MIN_NODE_VERSION) >= 0)
    return [{ level: 'ok', check: 'node', message: `Node.js ${version}` }];
  const message = `Node.js ${version} is older than the required ${MIN_NODE_VERSION}`;
  return [{ level: 'error', check: 'node', message, hint: 'install a newer Node.js' }];
}

function checkOwnConfig({ own = {} }: DoctorContext): CheckResult[] {
  const { configFiles = [], configIssues = [], adapterProblems = [], untrusted = [] } = own;
  const check = 'own-config';
  const good = configIssues.length + adapterProblems.length === 0 && configFiles.length > 0;
  return [
    ...(good ? [{ level: 'ok' as const, check, message: configFiles.join(', ') }] : []),
    ...configIssues.map((issue) => ({
      level: 'error' as const,
      check,
      message: describeIssue(issue),
      hint: `fix ${issue.file}, line ${issue.line}; the rest of the file is used`,
    })),
    ...adapterProblems.map((problem) => ({
      level: problem.reason === 'untrusted' ? ('info' as const) : ('error' as const),
      check,
      message: describeIssue(problem),
      hint: problem.hint,
    })),
    ...untrusted.map(({ id, file, line }) => ({
      level: 'info' as const,
      check,
      message: `agent "${id}" of ${file}, line ${line} is not trusted`,
      hint: 'review the file, then pass --trust-project',
    })),
  ];
}

/** Running one of these runs something else than its name suggests. */
function checkReplaced({ adapters }: DoctorContext): CheckResult[] {
  return adapters.list().flatMap(({ agent, replacesBuiltIn }) => {
    if (replacesBuiltIn === undefined) return [];
    const message = `the built-in agent "${agent}" was replaced by ${replacesBuiltIn}`;
    return [
      {
        level: 'warning' as const,
        check: 'replaced',
        message,
        hint: 'rename it if this is not intended',
      },
    ];
  });
}

function checkTerminal(): CheckResult[] {
  try {
    createRequire(import.meta.url).resolve(PTY_PACKAGE);
    return [{ level: 'ok', check: 'terminal', message: 'agents can use a pseudo-terminal' }];
  } catch {
    const message = 'agents that need a pseudo-terminal cannot run: an optional package is missing';
    return [{ level: 'info', check: 'terminal', message, hint: `install ${PTY_PACKAGE} next to agent-mux` }];
  }
}

function checkHost({ adapters, env }: DoctorContext): CheckResult[] {
  const found = detectHost(adapters, env);
  if (!found) return [];
  return [{ level: 'info', check: 'host', message: `this process runs inside ${found.agent} (${found.signal})` }];
}

function describeIssue({ file, line, column, field, problem }: ConfigIssue): string {
  return `${file}:${line}:${column}: ${field ? `${field} ` : ''}${problem}`;
}

/** In the order in which they are reported. */
export const SELF_CHECKS: readonly ((context: DoctorContext) => CheckResult[])[] = [
  checkNode,
  checkOwnConfig,
  checkReplaced,
  checkTerminal,
  checkHost,
];
