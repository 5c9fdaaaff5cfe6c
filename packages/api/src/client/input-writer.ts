/** Sends typed input in order, one request at a time; input typed meanwhile goes with the next one. */
export interface InputWriter {
  type(data: string): void;
}

interface InputWriterOptions {
  send(data: string): Promise<unknown>;
  /** Failed input is not retried: the user sees that it is missing. */
  onError(error: unknown): void;
}

export function createInputWriter({ send, onError }: InputWriterOptions): InputWriter {
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
      onError(error);
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

/** Input that starts with an escape is sent alone: it is a reply of the terminal, not typed text. */
function takeNext(waiting: readonly string[]): [string, string[]] {
  const isAlone = (data: string | undefined) => data?.startsWith('\x1b') === true;
  if (isAlone(waiting[0])) return [waiting[0] ?? '', waiting.slice(1)];
  const end = waiting.findIndex(isAlone);
  const count = end === -1 ? waiting.length : end;
  return [waiting.slice(0, count).join(''), waiting.slice(count)];
}
