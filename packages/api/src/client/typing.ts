/** What is typed, on its way: one thing after the other, and what is typed meanwhile goes along with the next. */
export interface Typing {
  type(data: string): void;
}

interface Given {
  send(data: string): Promise<unknown>;
  /** What was not sent is not tried again: whoever typed it sees that it is missing. */
  onFault(error: unknown): void;
}

export function makeTyping({ send, onFault }: Given): Typing {
  let waiting: string[] = [];
  let isUnderWay = false;
  const work = async () => {
    isUnderWay = true;
    try {
      while (waiting.length > 0) {
        const [next, rest] = takeNext(waiting);
        waiting = rest;
        await send(next);
      }
    } catch (error) {
      waiting = [];
      onFault(error);
    } finally {
      isUnderWay = false;
    }
  };
  return {
    type(data) {
      if (data === '') return;
      waiting.push(data);
      if (!isUnderWay) void work();
    },
  };
}

/** What begins with an escape goes alone: what a terminal answers by itself is known by that, and is not typed. */
function takeNext(waiting: readonly string[]): [string, string[]] {
  const isAlone = (data: string | undefined) => data?.startsWith('\x1b') === true;
  if (isAlone(waiting[0])) return [waiting[0] ?? '', waiting.slice(1)];
  const end = waiting.findIndex(isAlone);
  const count = end === -1 ? waiting.length : end;
  return [waiting.slice(0, count).join(''), waiting.slice(count)];
}
