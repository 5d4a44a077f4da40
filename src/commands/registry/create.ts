import { command } from '../../command-line/command.ts';
import { version } from '../../environment/version.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseDomain } from '../../registry/dns-proof/domain.ts';
import { createServiceDocument, publishableServices } from '../../registry/publishing/service-documents.ts';
import { parseServerDocument } from '../../registry/serving/registry-writer.ts';

const name = 'registry create';

function createFlagError(flag: string, problem: string) {
  return vpError('FLAG_INVALID', { command: `vp ${name}`, flag, problem });
}

const formatRejected = (text: string | undefined): string => (text === undefined ? '' : `, not ${text}`);

/** Throws FLAG_INVALID. */
function resolveDomain(explicitDomain: string | undefined, host: string): string {
  const domain = parseDomain(explicitDomain ?? host);
  if (domain !== undefined) return domain;
  if (explicitDomain !== undefined)
    throw createFlagError('--domain', `is not a domain such as example.com: ${explicitDomain}`);
  throw createFlagError(
    '--domain',
    `must name the domain that you publish under: the host of --url is not a domain (${host})`,
  );
}

/** `vp registry create`. */
export const registryCreateCommand = command({
  name,
  summary: 'print the server.json of the hub or the memory service, for publishing in a registry',
  positionals: [{ name: 'service', describe: 'hub or memory', required: true }],
  flags: {
    url: {
      type: 'string',
      placeholder: '<url>',
      describe: 'URL at which others reach the control plane, as --public-url of `vp serve`',
      variable: 'VP_PUBLIC_URL',
    },
    'memory-url': {
      type: 'string',
      placeholder: '<url>',
      describe: 'URL of the memory service (default: <url>/memory)',
    },
    domain: {
      type: 'string',
      placeholder: '<domain>',
      describe: 'domain of the name (default: the host of --url)',
    },
    as: { type: 'string', placeholder: '<version>', describe: 'version of the document (default: the version of vp)' },
    title: { type: 'string', placeholder: '<text>', describe: 'title of the server' },
    description: { type: 'string', placeholder: '<text>', describe: 'description of at most 100 characters' },
  },
  examples: [
    ['vp registry create hub --url https://vp.example.com --domain example.com > hub.json', 'com.example/hub'],
    ['vp registry create memory --url https://vp.example.com --domain example.com > memory.json', 'com.example/memory'],
  ],
  notes: `The document has two remotes: one for OAuth with the hub’s slug as a variable, and one for personal access tokens.
Next: \`vp registry key\`, \`vp registry check <domain>\`, \`vp registry publish <file>\`. Exit code 2: the document would be invalid.`,
  async run({ flags, args: [word], json, environment }) {
    const service = publishableServices.find((candidate) => candidate === word);
    if (service === undefined)
      throw createFlagError('<service>', `must be one of ${publishableServices.join(', ')}, not \`${word}\``);
    const baseUrl = flags.url;
    const url = baseUrl === undefined ? null : URL.parse(baseUrl);
    if (!baseUrl || url?.protocol !== 'https:')
      throw createFlagError(
        '--url',
        `must be the URL at which others reach the control plane, such as https://vp.example.com${formatRejected(baseUrl)}`,
      );
    const domain = resolveDomain(flags.domain, url.hostname);
    const { title, description, 'memory-url': memoryUrl, as = version } = flags;
    const document = parseServerDocument(
      createServiceDocument(service, {
        domain,
        baseUrl: `${url.origin}${url.pathname}`,
        memoryUrl,
        version: as,
        title,
        description,
      }),
    );
    const { stdout, stderr } = environment.streams;
    stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    // On standard error, because standard output usually goes to a file.
    if (!json)
      stderr.write(`next: \`vp registry key\`, \`vp registry check ${domain}\`, \`vp registry publish <file>\`\n`);
    return exitCode.done;
  },
});
