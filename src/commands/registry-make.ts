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
  async run({ flags, words: [word], environment }) {
    const service = ownServices.find((one) => one === word);
    if (service === undefined) throw invalid('<service>', `must be one of ${ownServices.join(', ')}, not \`${word}\``);
    const baseUrl = flags.url;
    const url = baseUrl === undefined ? null : URL.parse(baseUrl);
    if (!baseUrl || !url)
      throw invalid('--url', 'must say how others reach the control plane, as https://vp.example.com');
    const named = flags.domain ?? url.hostname;
    const domain = domainOf(named);
    if (domain === undefined) throw invalid('--domain', `is no domain such as example.com: ${named}`);
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
    environment.streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return exitCode.done;
  },
});
