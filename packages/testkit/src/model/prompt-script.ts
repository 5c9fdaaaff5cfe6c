import { type Directive, readDirectives } from './directives.ts';
import { type Reply, reply } from './reply.ts';
import type { ModelRequest } from './request.ts';
import { HELLO, type Scenario } from './scenario.ts';

/** How much of a tool result the closing text repeats. */
const SHOWN_RESULT = 300;

/**
 * A scenario that the prompt itself carries: the newest user text holds directives (see `readDirectives`). Each tool
 * directive takes one request; text before it belongs to the same reply, text after the last one is sent
 * when its result is in.
 */
export function scriptByPrompt(): Scenario {
  return (request) => {
    const steps = splitAtTools(readDirectives(request.prompt));
    const step = steps[Math.min(request.toolResults.length, steps.length - 1)] ?? [];
    return perform(step, request);
  };
}

function splitAtTools(directives: readonly Directive[]): Directive[][] {
  const steps: Directive[][] = [[]];
  for (const directive of directives) {
    steps.at(-1)?.push(directive);
    if (directive.type === 'tool') steps.push([]);
  }
  return steps;
}

function perform(step: readonly Directive[], request: ModelRequest): Reply {
  const now = Date.now() / 1000;
  let answer: Reply = reply;
  for (const directive of step) {
    switch (directive.type) {
      case 'text':
        answer = answer.text(directive.text);
        break;
      case 'think':
        answer = answer.think(directive.text);
        break;
      case 'chunks':
        answer = answer.chunks(directive.count, directive);
        break;
      case 'tool':
        answer = answer.toolCall(directive.name, directive.input);
        break;
      case 'status':
        if (directive.until === null || now < directive.until) return failure(directive, now);
        break;
      case 'hang':
        return answer.hang();
      case 'drop':
        // Only a stream is cut: a client that then requests the whole answer gets it.
        return request.stream ? withText(answer, request).drop({ afterChunks: 1 }) : withText(answer, request);
      case 'unreadable':
        return reply.text(`cannot read the directive ${directive.source}`);
    }
  }
  return withText(answer, request);
}

function failure(directive: Extract<Directive, { type: 'status' }>, now: number): Reply {
  const untilOpen = directive.until === null ? undefined : Math.ceil(directive.until - now);
  return reply.status(directive.status, { retryAfterSeconds: directive.retryAfterSeconds ?? untilOpen });
}

function withText(answer: Reply, request: ModelRequest): Reply {
  if (answer.fields.parts.some((part) => part.type !== 'think')) return answer;
  const result = request.toolResults.at(-1);
  return answer.text(result ? `tool result: ${result.output.slice(0, SHOWN_RESULT)}` : HELLO);
}
