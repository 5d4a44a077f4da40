import { version } from '../environment/version.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { domainOf } from '../registry/domain.ts';
import { ownDocument, ownServices } from '../registry/own-documents.ts';
import { demandDocument } from '../registry/publishing.ts';
import { command } from './command.ts';

const name = 'registry make';

function invalid(flag: string, problem: string) {
  return vpError('FLAG_INVALID', { command: `vp ${name}`, flag, problem });
}

const not = (text: string | undefined): string => (text === undefined ? '' : `, not ${text}`);

/** Throws FLAG_INVALID. */
function domainFor(named: string | undefined, host: string): string {
  const domain = domainOf(named ?? host);
  if (domain !== undefined) return domain;
  if (named !== undefined) throw invalid('--domain', `is no domain such as example.com: ${named}`);
  throw invalid('--domain', `must name the domain that you publish under: the host of --url is none (${host})`);
}

/** `vp registry make`. */
export const registryMakeCommand = command({
  name,
  summary: 'print server.json of the hub or of the memory service, to publish it in a registry',
  positionals: [{ name: 'service', describe: 'hub or memory', required: true }],
  flags: {
    url: {
      type: 'string',
      placeholder: '<url>',
      describe: 'how others reach the control plane, as --public-url of `vp serve`',
      variable: 'VP_PUBLIC_URL',
    },
    'memory-url': { type: 'string', placeholder: '<url>', describe: 'where memory is; <url>/memory unless given' },
    domain: {
      type: 'string',
      placeholder: '<domain>',
      describe: 'the domain that the name belongs to; the host of --url unless given',
    },
    as: { type: 'string', placeholder: '<version>', describe: 'version of the document; that of this vp unless given' },
    title: { type: 'string', placeholder: '<text>', describe: 'its title' },
    description: { type: 'string', placeholder: '<text>', describe: 'what it is, in at most 100 characters' },
  },
  examples: [
    ['vp registry make hub --url https://vp.example.com --domain example.com > hub.json', 'com.example/hub'],
    ['vp registry make memory --url https://vp.example.com --domain example.com > memory.json', 'com.example/memory'],
  ],
  notes: `The document names two remotes: that of OAuth with the hub’s slug as a variable, and that of a personal access token.
Next: \`vp registry key\`, \`vp registry check <domain>\`, \`vp registry publish <file>\`. Exit code 2: it would break a rule.`,
  async run({ flags, words: [word], json, environment }) {
    const service = ownServices.find((one) => one === word);
    if (service === undefined) throw invalid('<service>', `must be one of ${ownServices.join(', ')}, not \`${word}\``);
    const baseUrl = flags.url;
    const url = baseUrl === undefined ? null : URL.parse(baseUrl);
    if (!baseUrl || url?.protocol !== 'https:')
      throw invalid('--url', `must say how others reach the control plane, as https://vp.example.com${not(baseUrl)}`);
    const domain = domainFor(flags.domain, url.hostname);
    const { title, description, 'memory-url': memoryUrl, as = version } = flags;
    const document = demandDocument(
      ownDocument(service, {
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
    // Standard output usually goes to a file.
    if (!json)
      stderr.write(`next: \`vp registry key\`, \`vp registry check ${domain}\`, \`vp registry publish <file>\`\n`);
    return exitCode.done;
  },
});
