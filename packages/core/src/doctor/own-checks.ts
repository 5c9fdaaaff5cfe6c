import { createRequire } from 'node:module';
import { compareVersions } from '../binaries/version.ts';
import type { ConfigFault } from '../documents/document.ts';
import { LEAST_NODE } from '../old-node.ts';
import { detectHost } from '../registry/host.ts';
import type { Told } from './agent-checks.ts';
import type { Practice } from './doctor.ts';

const PTY_PACKAGE = '@lydell/node-pty';

function checkNode(): Told[] {
  const { node: version } = process.versions;
  if (compareVersions(version, LEAST_NODE) >= 0) return [{ level: 'ok', check: 'node', message: `Node.js ${version}` }];
  const message = `Node.js ${version} is older than ${LEAST_NODE}, which is needed`;
  return [{ level: 'error', check: 'node', message, remedy: 'install a newer Node.js' }];
}

function checkOwnConfig({ own = {} }: Practice): Told[] {
  const { configFiles = [], configFaults = [], adapterProblems = [], untrusted = [] } = own;
  const check = 'own-config';
  const good = configFaults.length + adapterProblems.length === 0 && configFiles.length > 0;
  return [
    ...(good ? [{ level: 'ok' as const, check, message: configFiles.join(', ') }] : []),
    ...configFaults.map((fault) => ({
      level: 'error' as const,
      check,
      message: describeFault(fault),
      remedy: `mend ${fault.file}, line ${fault.line}; the rest of it counts`,
    })),
    ...adapterProblems.map((problem) => ({
      level: problem.reason === 'untrusted' ? ('info' as const) : ('error' as const),
      check,
      message: describeFault(problem),
      remedy: problem.hint,
    })),
    ...untrusted.map(({ id, file, line }) => ({
      level: 'info' as const,
      check,
      message: `agent "${id}" of ${file}, line ${line} is not trusted`,
      remedy: 'read that file; --trust-project uses it',
    })),
  ];
}

/** Whoever runs one of these runs something else than its name says. */
function checkReplaced({ adapters }: Practice): Told[] {
  return adapters.list().flatMap(({ agent, replacesBuiltIn }) => {
    if (replacesBuiltIn === undefined) return [];
    const message = `the built-in agent "${agent}" was replaced by ${replacesBuiltIn}`;
    return [
      {
        level: 'warning' as const,
        check: 'replaced',
        message,
        remedy: 'give that one another name, if this is not meant',
      },
    ];
  });
}

function checkTerminal(): Told[] {
  try {
    createRequire(import.meta.url).resolve(PTY_PACKAGE);
    return [{ level: 'ok', check: 'terminal', message: 'agents can be given a terminal' }];
  } catch {
    const message = 'agents that need a terminal cannot be run: an optional package is missing';
    return [{ level: 'info', check: 'terminal', message, remedy: `install ${PTY_PACKAGE} beside agent-mux` }];
  }
}

function checkHost({ adapters, env }: Practice): Told[] {
  const found = detectHost(adapters, env);
  if (!found) return [];
  return [{ level: 'info', check: 'host', message: `this process runs inside of ${found.agent} (${found.signal})` }];
}

function describeFault({ file, line, column, field, problem }: ConfigFault): string {
  return `${file}:${line}:${column}: ${field ? `${field} ` : ''}${problem}`;
}

/** In the order in which they are told. */
export const OWN_CHECKS: readonly ((practice: Practice) => Told[])[] = [
  checkNode,
  checkOwnConfig,
  checkReplaced,
  checkTerminal,
  checkHost,
];
