import { FakeAdapter, type FakeAdapterOptions } from '@agent-mux/testkit';

/** Named by the configuration file of a test's home, so that a keeper of another process has it. */
export default function makeFakeAdapter(options: FakeAdapterOptions): FakeAdapter {
  return new FakeAdapter(options);
}
