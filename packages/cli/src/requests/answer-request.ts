import type { Answer, DaemonClient, Request } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core/light';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { openRequests } from '../daemon/pages.ts';
import { EXIT } from '../exit-codes.ts';
import { printFailure } from '../failure.ts';
import { print, printInfo, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { shortIds } from '../sessions/format.ts';
import { UsageError } from '../usage-error.ts';
import { chooseRequest } from './choose-request.ts';
import { titleOfRequest } from './event-of.ts';

type Verb = 'approve' | 'deny' | 'answer';

interface Answering {
  verb: Verb;
  /** Id of a session or a request. */
  id: string;
  /** Id of a request of that session. */
  within?: string;
  /** Builds the answer; throws if it does not fit the request. */
  answerTo(request: Request): Answer;
}

const DECISION_TEXT: Readonly<Record<Answer['decision'], string>> = {
  allow: 'Allowed',
  deny: 'Denied',
  answer: 'Answered',
  decline: 'Declined',
};

/** Answers the matching request. If several match, lists them and answers none. */
export async function answerRequest(args: ParsedArgs, { verb, id, within, answerTo }: Answering): Promise<number> {
  return withDaemon(async (daemon) => {
    const open = await openRequests(daemon);
    const chosen = chooseRequest(open, id, within);
    if (chosen.kind === 'none') throw await explainNone(daemon, id, within);
    if (chosen.kind !== 'one') return listMatches(chosen.requests, verb, chosen.kind, hasFlag(args, 'json'));
    const { request } = chosen;
    const answer = answerTo(request);
    const done = await daemon.requests.answer(request.id, answer);
    if (hasFlag(args, 'json')) return printJson<Verb>(done);
    return print(`${DECISION_TEXT[answer.decision]}: ${titleOfRequest(request)}`);
  });
}

/** Printed on stderr; with --json only the error is printed. */
function listMatches(requests: readonly Request[], verb: Verb, kind: 'several' | 'ambiguous', json: boolean): number {
  const { cyan } = paint(process.stderr);
  const ids = shortIds(requests.map(({ id }) => id));
  const message =
    kind === 'several'
      ? `${requests.length} requests are open: specify one`
      : 'the id is ambiguous: it matches several sessions or requests';
  if (json) throw new UsageError(message, ids.map((id) => `amux ${verb} ${id}`).join(', '));
  printFailure({ message, exitCode: EXIT.usage });
  requests.forEach((request, at) => {
    printInfo(`  ${cyan(`amux ${verb} ${ids[at]}`)}  ${titleOfRequest(request)}`);
  });
  return EXIT.usage;
}

async function explainNone(daemon: DaemonClient, id: string, within: string | undefined): Promise<Error> {
  // Throws if the session does not exist.
  const session = await daemon.sessions.get(id);
  const what = within === undefined ? 'has no open request' : `has no open request ${within}`;
  return new AgentMuxError('VALIDATION_ERROR', `session ${session.id} ${what}`, {
    hint: 'run "amux inbox" to list open requests',
  });
}
