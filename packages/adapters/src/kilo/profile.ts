import { z } from 'zod';
import { knownAgentFields, knownAgentProfile } from '../generic/known-agent.ts';
import { kiloAdapter } from './index.ts';

const KiloConfigSchema = z
  .strictObject({ ...knownAgentFields(kiloAdapter), provider: z.string().default('') })
  .refine(({ model, provider }) => provider === '' || model !== '', {
    path: ['provider'],
    message: 'requires a model',
  })
  .refine(({ model, provider }) => model === '' || provider !== '' || /^[^/]+\/.+/.test(model), {
    path: ['model'],
    message: 'must be written provider/model, unless "provider" names the provider',
  });

export const kiloProfile = knownAgentProfile<z.infer<typeof KiloConfigSchema>>({
  profile: 'kilo-code',
  key: 'kilo',
  schema: KiloConfigSchema,
  known: kiloAdapter,
  fill: ({ model, provider }, options) =>
    provider === '' || options.model !== undefined ? {} : { model: modelOf(model, provider) },
});

/** A model that already contains the `provider` is not prefixed again. */
function modelOf(model: string, provider: string): string {
  return model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
}
