import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { belongsTo, domainOf, namespaceOf, reversed } from '../registry/domain.ts';
import { type PublisherParts, problemOf, proveTo, publishTo, shownKeys } from '../registry/publisher.ts';
import type { ServerDocument } from '../registry/server-document.ts';
import { command } from './command.ts';
import { readDocumentFile } from './registry/document-files.ts';
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

/** The domain that a document's name belongs to. Throws REGISTRY_NAME_FOREIGN, REGISTRY_DOMAIN_INVALID. */
function domainFor(document: ServerDocument, named: string | undefined): string {
  const text = named ?? reversed(namespaceOf(document.name));
  const domain = domainOf(text);
  if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: text });
  if (belongsTo(document.name, domain)) return domain;
  throw vpError('REGISTRY_NAME_FOREIGN', { name: document.name, domain, namespace: reversed(domain) });
}

type Item = { readonly document: ServerDocument; readonly domain: string };

/** All that can be known without sending anything. Throws what would hinder. */
async function rehearse({ remote, key, records }: PublisherParts, items: readonly Item[]): Promise<void> {
  for (const domain of new Set(items.map((item) => item.domain))) {
    const problem = problemOf(await shownKeys(records, domain, key), domain);
    if (problem) throw problem;
  }
  for (const { document } of items) {
    const { name: server, version } = document;
    if (await remote.has(server, version)) throw vpError('REGISTRY_VERSION_EXISTS', { name: server, version });
  }
}

/** One proof for each domain, since a signed moment is taken once. `onDone` hears of each that is there. */
async function publishAll(parts: PublisherParts, items: readonly Item[], onDone: (one: ServerDocument) => void) {
  const tokens = new Map<string, string>();
  for (const { document, domain } of items) {
    const token = tokens.get(domain) ?? (await proveTo(parts, domain));
    tokens.set(domain, token);
    await publishTo(parts, { token, domain, document });
    onDone(document);
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
With --json: {"registry", "dry_run", "published": [{"name", "version"}]}.`,
  async run({ flags, words, json, environment }) {
    const address = registryAddress(flags.registry, environment, `vp ${name}`);
    const items: Item[] = [];
    for (const file of words) {
      const document = await readDocumentFile(file, environment);
      items.push({ document, domain: domainFor(document, flags.domain) });
    }
    const key = keyFor(flags, address, environment);
    const records = recordsFor(flags, `vp ${name}`);
    const { remote, close } = openRemote(flags, address, environment);
    const parts = { remote, key, records, clock: environment.clock };
    const { stdout } = environment.streams;
    const dryRun = flags['dry-run'];
    const say = (verb: string, one: ServerDocument): void => {
      if (!json) stdout.write(`${verb} ${one.name} ${one.version} in ${address}\n`);
    };
    try {
      if (dryRun) await rehearse(parts, items);
      else await publishAll(parts, items, (one) => say('published', one));
    } finally {
      await close();
    }
    if (dryRun) for (const { document } of items) say('would publish', document);
    const published = items.map(({ document: { name: server, version } }) => ({ name: server, version }));
    if (json) stdout.write(`${JSON.stringify({ registry: address, dry_run: dryRun, published }, null, 2)}\n`);
    return exitCode.done;
  },
});
