import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import type { ServerDocument } from '../../registry/document/document-types.ts';
import {
  describeKeyProblem,
  findPublishedKeys,
  isPublished,
  type PublisherContext,
  proveDomain,
  publishDocument,
} from '../../registry/publishing/publish.ts';
import { readDocumentFile, resolveDomain } from './document-files.ts';
import {
  callFlags,
  createRecordLookup,
  keyFlags,
  loadSigningKey,
  openRemoteRegistry,
  resolveRegistryUrl,
  resolverFlags,
} from './registry-target.ts';

const name = 'registry publish';

type DocumentItem = { readonly document: ServerDocument; readonly domain: string };

type Outcome = 'published' | 'unchanged' | 'would publish';

const outcomeLabels: Readonly<Record<Outcome, string>> = {
  published: 'published',
  unchanged: 'already published, unchanged:',
  'would publish': 'would publish',
};

/** The outcome and, once published, the URL of the document. */
function formatOutcome({ name, version }: ServerDocument, outcome: Outcome, address: string): string {
  const url = `${address}/v0/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  return `${outcomeLabels[outcome]} ${name} ${version} in ${address}\n${outcome === 'would publish' ? '' : `  ${url}\n`}`;
}

/** Checks everything that can be checked without publishing. Throws what would prevent it. */
async function* rehearse(
  publisher: PublisherContext,
  items: readonly DocumentItem[],
): AsyncGenerator<[ServerDocument, Outcome]> {
  for (const domain of new Set(items.map((item) => item.domain))) {
    const problem = describeKeyProblem(
      await findPublishedKeys(publisher.lookUpTextRecords, domain, publisher.key),
      domain,
      publisher.remote.url,
    );
    if (problem) throw problem;
  }
  for (const { document } of items)
    yield [document, (await isPublished(publisher, document)) ? 'unchanged' : 'would publish'];
}

/** Proves each domain once, because a signed timestamp is accepted once. */
async function* publishAll(
  publisher: PublisherContext,
  items: readonly DocumentItem[],
): AsyncGenerator<[ServerDocument, Outcome]> {
  const tokens = new Map<string, string>();
  for (const { document, domain } of items) {
    const token = tokens.get(domain) ?? (await proveDomain(publisher, domain));
    tokens.set(domain, token);
    yield [document, (await publishDocument(publisher, { token, domain, document })) ? 'published' : 'unchanged'];
  }
}

/** `vp registry publish`. */
export const registryPublishCommand = command({
  name,
  summary: 'publish documents in a registry, with a proof of their domain',
  positionals: [{ name: 'file', describe: 'server.json; - for standard input', required: true, many: true }],
  flags: {
    ...keyFlags,
    domain: {
      type: 'string',
      placeholder: '<domain>',
      describe: 'domain to prove, if it is a parent of the name’s domain, such as example.com for team.example.com',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'check everything, but sign and send nothing' },
    ...resolverFlags,
    ...callFlags,
  },
  examples: [
    ['vp registry publish hub.json memory.json --dry-run', 'check whether publishing would succeed'],
    ['vp registry publish hub.json --registry https://registry.example.net', 'to another registry'],
  ],
  notes: `All documents are checked before the first is sent. Published versions cannot be changed: publish a new version instead.
Exit code 2: a document, the key or the proof is invalid. 3: too many calls, try later. 4: the registry cannot be reached.
Publishing the same document again is not an error. With --json: {"registry", "dry_run", "documents": [{"name", "version", "outcome"}]}.`,
  async run({ flags, args: files, json, environment }) {
    const address = await resolveRegistryUrl(flags.registry, environment, `vp ${name}`);
    const items: DocumentItem[] = [];
    for (const file of files) {
      const document = await readDocumentFile(file, environment);
      items.push({ document, domain: resolveDomain(document.name, flags.domain) });
    }
    const key = loadSigningKey(flags, address, environment);
    const lookUpTextRecords = createRecordLookup(flags, `vp ${name}`);
    const { remote, close } = openRemoteRegistry(flags, address, environment);
    const publisher = { remote, key, lookUpTextRecords, clock: environment.clock };
    const { stdout } = environment.streams;
    const dryRun = flags['dry-run'];
    const outcomes: { name: string; version: string; outcome: Outcome }[] = [];
    try {
      for await (const [publishedDocument, outcome] of dryRun
        ? rehearse(publisher, items)
        : publishAll(publisher, items)) {
        outcomes.push({ name: publishedDocument.name, version: publishedDocument.version, outcome });
        if (!json) stdout.write(formatOutcome(publishedDocument, outcome, address));
      }
    } finally {
      await close();
      if (json && outcomes.length > 0)
        stdout.write(`${JSON.stringify({ registry: address, dry_run: dryRun, documents: outcomes }, null, 2)}\n`);
    }
    return exitCode.done;
  },
});
