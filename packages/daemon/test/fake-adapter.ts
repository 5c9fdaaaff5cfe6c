import { FakeAdapter, type FakeAdapterOptions } from '@agent-mux/testkit';

/** Loaded by the config file of a test's home, so that a keeper in another process can use it. */
export default function createFakeAdapter(options: FakeAdapterOptions): FakeAdapter {
  return new FakeAdapter(options);
}
