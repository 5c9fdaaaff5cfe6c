import { type Command, hasFlag, JSON_FLAG, type ParsedArgs, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { TARGET_HELP } from '../remote/target.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { defineSubcommands } from '../subcommands.ts';
import { UsageError } from '../usage-error.ts';

export const remote: Command = defineSubcommands({
  name: 'remote',
  description:
    'Installs or checks an agent on a remote host, in a container image or in a pod. Changes nothing\n' +
    'on this machine.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    {
      command: 'amux remote verify ssh://me@box claude',
      about: 'Check whether it is installed and its version is verified',
    },
    { command: 'amux remote install ssh://me@box:2222 codex', about: 'Install it, then check' },
    { command: 'amux remote verify docker:my/agents:latest gemini', about: 'Check a container image' },
    { command: 'amux remote verify k8s:dev/agents-0/main claude --json', about: 'Check a container of a pod' },
    { command: 'amux run -a claude --on ssh://me@box/srv/app "why does the build fail?"', about: 'Run it there' },
  ],
  notes: [
    `TARGET: ${TARGET_HELP}.`,
    'verify exits 4 if the agent is not installed. ssh never prompts: set up keys and known hosts first.',
  ],
  actions: {
    install: {
      usage: 'TARGET AGENT',
      about: 'Install the agent for the target platform, then check it',
      minArgs: 2,
      maxArgs: 2,
      run: (args) => reach(args, true),
    },
    verify: {
      usage: 'TARGET AGENT',
      about: 'Check the agent and its version',
      minArgs: 2,
      maxArgs: 2,
      run: (args) => reach(args, false),
    },
  },
});

async function reach(args: ParsedArgs, installs: boolean): Promise<number> {
  const [target = '', agent = ''] = args.positionals;
  const { parseTarget } = await import('../remote/target.ts');
  const { findRemoteAgent, installRemoteAgent } = await import('../remote/remote-agent.ts');
  const invocation = parseTarget(target);
  const json = hasFlag(args, 'json');
  const { dim, bold, green, yellow } = paint(process.stdout);
  const client = await openClient(args);
  try {
    const adapter = client.adapterNamed(agent);
    if (adapter.needsNoInstall) throw new UsageError(`${adapter.displayName} is built into amux`);
    const say = (line: string) => void process.stderr.write(`${dim(toOneLine(line, 500))}\n`);
    const method = installs ? await installRemoteAgent(adapter, invocation, say) : undefined;
    const found = await findRemoteAgent(adapter, invocation);
    if (json) {
      printJson<'remote install' | 'remote verify'>({
        target,
        ...found,
        ...(method ? { installedBy: method.command } : {}),
      });
    } else if (!found.installed) {
      print(`${yellow('✗')} ${bold(found.displayName)} is not installed: "${adapter.cliCommand}" not found`);
    } else {
      const { version, minVersion, meetsMinVersion, verified, verifiedVersions } = found;
      const status =
        version !== null && !meetsMinVersion
          ? yellow(`older than ${minVersion}`)
          : verified
            ? green('verified')
            : verifiedVersions.length > 0
              ? `not verified; verified versions: ${verifiedVersions.join(', ')}`
              : 'no verified version';
      print(
        `${green('✓')} ${bold(found.displayName)} ${version ?? '(unknown version)'} ${dim(found.path ?? '')}\n  ${status}`,
      );
    }
    return found.installed ? EXIT.ok : EXIT.notInstalled;
  } finally {
    await client.close();
  }
}
