/** One sentence of the contract, checked for one adapter. Throws if the adapter breaks it. */
export interface ContractCheck {
  /** The subject; checks of a topic are grouped. */
  topic: string;
  sentence: string;
  /** Why it cannot be checked here. */
  skip?: string;
  run(): void | Promise<void>;
}

export type Shown = (sentence: string, run: ContractCheck['run'], skip?: string) => void;

/** Collects the checks of a topic. */
export function aboutTopic(topic: string, collect: (show: Shown) => void): ContractCheck[] {
  const checks: ContractCheck[] = [];
  collect((sentence, run, skip) => checks.push({ topic, sentence, run, ...(skip === undefined ? {} : { skip }) }));
  return checks;
}
