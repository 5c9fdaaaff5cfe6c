import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { TARGET_HELP } from '../remote/target.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

export const remote: Command = commandOfActions({
  name: 'remote',
  about:
    'Says whether an agent is ready in another place, or puts it there. The place is asked itself: over ssh, in a\n' +
    'container of an image, in a pod. Nothing is looked up or changed on this machine.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux remote verify ssh://me@box claude', about: 'is it there, which version, was that one proven' },
    { command: 'amux remote install ssh://me@box:2222 codex', about: 'installs it there, then looks' },
    { command: 'amux remote verify docker:my/agents:latest gemini', about: 'in an image' },
    { command: 'amux remote verify k8s:dev/agents-0/main claude --json', about: 'namespace, pod and container' },
    { command: 'amux run -a claude --on ssh://me@box/srv/app "why does the build fail?"', about: 'and then' },
  ],
  notes: [
    `TARGET: ${TARGET_HELP}.`,
    'verify exits with 4 when the agent is not there. ssh asks nothing: keys and known hosts must be in place.',
  ],
  actions: {
    install: {
      usage: 'TARGET AGENT',
      about: 'puts it there by the way that suits the platform there, then looks',
      minWords: 2,
      maxWords: 2,
      run: (given) => reach(given, true),
    },
    verify: {
      usage: 'TARGET AGENT',
      about: 'is it there, which version, was that one proven',
      minWords: 2,
      maxWords: 2,
      run: (given) => reach(given, false),
    },
  },
});

async function reach(given: Given, installs: boolean): Promise<number> {
  const [target = '', agent = ''] = given.words;
  const { parseTarget } = await import('../remote/target.ts');
  const { findThere, installThere } = await import('../remote/agent-there.ts');
  const place = parseTarget(target);
  const json = isOn(given, 'json');
  const { dim, bold, green, yellow } = paint(process.stdout);
  const client = await openClient(given);
  try {
    const adapter = client.adapterNamed(agent);
    if (adapter.needsNoInstall) throw new UsageError(`${adapter.displayName} is part of amux itself`);
    const say = (line: string) => void process.stderr.write(`${dim(toOneLine(line, 500))}\n`);
    const method = installs ? await installThere(adapter, place, say) : undefined;
    const found = await findThere(adapter, place);
    if (json) {
      printJson<'remote install' | 'remote verify'>({
        target,
        ...found,
        ...(method ? { installedBy: method.command } : {}),
      });
    } else if (!found.installed) {
      print(`${yellow('✗')} ${bold(found.displayName)} is not there: "${adapter.cliCommand}" was not found`);
    } else {
      const { version, minVersion, meetsMinVersion, proven, provenVersions } = found;
      const judged =
        version !== null && !meetsMinVersion
          ? yellow(`older than ${minVersion}`)
          : proven
            ? green('proven')
            : provenVersions.length > 0
              ? `not proven; the adapter was proven with ${provenVersions.join(', ')}`
              : 'no version was proven';
      print(
        `${green('✓')} ${bold(found.displayName)} ${version ?? '(unknown version)'} ${dim(found.path ?? '')}\n  ${judged}`,
      );
    }
    return found.installed ? EXIT.ok : EXIT.notInstalled;
  } finally {
    await client.close();
  }
}
