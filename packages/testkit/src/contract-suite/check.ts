/** One sentence of the contract, shown of one adapter. It throws where the adapter breaks it. */
export interface ContractCheck {
  /** What it is about; checks of a topic stand together. */
  topic: string;
  sentence: string;
  /** Why it cannot be shown here. */
  skip?: string;
  run(): void | Promise<void>;
}

export type Shown = (sentence: string, run: ContractCheck['run'], skip?: string) => void;

/** Collects the checks of a topic. */
export function aboutTopic(topic: string, tell: (show: Shown) => void): ContractCheck[] {
  const checks: ContractCheck[] = [];
  tell((sentence, run, skip) => checks.push({ topic, sentence, run, ...(skip === undefined ? {} : { skip }) }));
  return checks;
}
