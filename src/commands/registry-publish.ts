import { exitCode } from '../errors/exit-code.ts';
import { isPublished, type PublisherParts, problemOf, proveTo, publishTo, shownKeys } from '../registry/publisher.ts';
import type { ServerDocument } from '../registry/server-document.ts';
import { command } from './command.ts';
import { domainOfName, readDocumentFile } from './registry/document-files.ts';
import {
  callFlags,
  keyFlags,
  keyFor,
  openRemote,
  recordsFor,
  registryAddress,
  resolverFlags,
} from './registry/target.ts';

const name = 'registry publish';

type Item = { readonly document: ServerDocument; readonly domain: string };

/** What became of a document. */
type Outcome = 'published' | 'unchanged' | 'would publish';

const words: Readonly<Record<Outcome, string>> = {
  published: 'published',
  unchanged: 'there already, the same:',
  'would publish': 'would publish',
};

/** What became of it; and, once it is there, where everybody reads it. */
function textOf({ name, version }: ServerDocument, outcome: Outcome, address: string): string {
  const place = `${address}/v0/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  return `${words[outcome]} ${name} ${version} in ${address}\n${outcome === 'would publish' ? '' : `  ${place}\n`}`;
}

/** All that can be known without sending anything. Throws what would hinder. */
async function* rehearse(parts: PublisherParts, items: readonly Item[]): AsyncGenerator<[ServerDocument, Outcome]> {
  for (const domain of new Set(items.map((item) => item.domain))) {
    const problem = problemOf(await shownKeys(parts.records, domain, parts.key), domain, parts.remote.url);
    if (problem) throw problem;
  }
  for (const { document } of items)
    yield [document, (await isPublished(parts, document)) ? 'unchanged' : 'would publish'];
}

/** One proof for each domain, since a signed moment is taken once. */
async function* publishAll(parts: PublisherParts, items: readonly Item[]): AsyncGenerator<[ServerDocument, Outcome]> {
  const tokens = new Map<string, string>();
  for (const { document, domain } of items) {
    const token = tokens.get(domain) ?? (await proveTo(parts, domain));
    tokens.set(domain, token);
    yield [document, (await publishTo(parts, { token, domain, document })) ? 'published' : 'unchanged'];
  }
}

/** `vp registry publish`. */
export const registryPublishCommand = command({
  name,
  summary: 'publish documents in a registry, after proving their domain to it',
  positionals: [{ name: 'file', describe: 'server.json; - for standard input', required: true, many: true }],
  flags: {
    ...keyFlags,
    domain: {
      type: 'string',
      placeholder: '<domain>',
      describe: 'the domain that is proven, when it is above that of the name: team.example.com is below example.com',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'look at everything, sign and send nothing' },
    ...resolverFlags,
    ...callFlags,
  },
  examples: [
    ['vp registry publish hub.json memory.json --dry-run', 'see whether it would go well'],
    ['vp registry publish hub.json --registry https://registry.example.net', 'to a registry that others run'],
  ],
  notes: `All documents are looked at before the first is sent. What is published is never changed: another version replaces it.
Exit code 2: a document, the key or the proof is wrong. 3: too many calls, try later. 4: the registry cannot be reached.
The same document once more is no error. With --json: {"registry", "dry_run", "documents": [{"name", "version", "outcome"}]}.`,
  async run({ flags, words: files, json, environment }) {
    const address = registryAddress(flags.registry, environment, `vp ${name}`);
    const items: Item[] = [];
    for (const file of files) {
      const document = await readDocumentFile(file, environment);
      items.push({ document, domain: domainOfName(document.name, flags.domain) });
    }
    const key = keyFor(flags, address, environment);
    const records = recordsFor(flags, `vp ${name}`);
    const { remote, close } = openRemote(flags, address, environment);
    const parts = { remote, key, records, clock: environment.clock };
    const { stdout } = environment.streams;
    const dryRun = flags['dry-run'];
    const outcomes: { name: string; version: string; outcome: Outcome }[] = [];
    try {
      for await (const [one, outcome] of dryRun ? rehearse(parts, items) : publishAll(parts, items)) {
        outcomes.push({ name: one.name, version: one.version, outcome });
        if (!json) stdout.write(textOf(one, outcome, address));
      }
    } finally {
      await close();
      if (json && outcomes.length > 0)
        stdout.write(`${JSON.stringify({ registry: address, dry_run: dryRun, documents: outcomes }, null, 2)}\n`);
    }
    return exitCode.done;
  },
});
