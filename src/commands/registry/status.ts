import { command } from '../../command-line/command.ts';
import { registryStatuses } from '../../contract/registry/registry-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { changeVersionStatus, proveDomain } from '../../registry/publishing/publish.ts';
import { resolveDomain } from './document-files.ts';
import {
  callFlags,
  createRecordLookup,
  keyFlags,
  loadSigningKey,
  openRemoteRegistry,
  resolveRegistryUrl,
  resolverFlags,
} from './registry-target.ts';

const name = 'registry status';

/** `vp registry status`. */
export const registryStatusCommand = command({
  name,
  summary: 'mark what you published in a registry as deprecated, deleted or active',
  positionals: [
    { name: 'server', describe: 'name of the server, such as com.example/hub', required: true },
    { name: 'status', describe: 'active, deprecated or deleted', required: true },
  ],
  flags: {
    ...keyFlags,
    of: { type: 'string', placeholder: '<version>', describe: 'only this version (default: all versions)' },
    message: {
      type: 'string',
      placeholder: '<text>',
      describe: 'message for users, such as what to use instead',
    },
    domain: {
      type: 'string',
      placeholder: '<domain>',
      describe: 'domain to prove, if it is a parent of the name’s domain',
    },
    ...resolverFlags,
    ...callFlags,
  },
  examples: [
    ['vp registry status com.example/hub deprecated --of 1.0.0 --message "use 2.0.0"', 'one version'],
    ['vp registry status com.example/hub deleted', 'all versions; still listed on request for deleted ones'],
  ],
  notes:
    'Nothing is removed: published documents are not changed. With --json: {"registry", "name", "version", "status"}.',
  async run({ flags, args: [server = '', word = ''], json, environment }) {
    const status = registryStatuses.find((candidate) => candidate === word);
    if (status === undefined) {
      const problem = `must be one of ${registryStatuses.join(', ')}, not \`${word}\``;
      throw vpError('FLAG_INVALID', { command: `vp ${name}`, flag: '<status>', problem });
    }
    if (!server.includes('/'))
      throw vpError('FLAG_INVALID', {
        command: `vp ${name}`,
        flag: '<server>',
        problem: `must be a name such as com.example/hub, not \`${server}\``,
      });
    const address = await resolveRegistryUrl(flags.registry, environment, `vp ${name}`);
    const domain = resolveDomain(server, flags.domain);
    const key = loadSigningKey(flags, address, environment);
    const lookUpTextRecords = createRecordLookup(flags, `vp ${name}`);
    const { remote, close } = openRemoteRegistry(flags, address, environment);
    const publisher = { remote, key, lookUpTextRecords, clock: environment.clock };
    const version = flags.of;
    try {
      const token = await proveDomain(publisher, domain);
      const change = { status, ...(flags.message === undefined ? {} : { statusMessage: flags.message }) };
      await changeVersionStatus(publisher, { token, domain, name: server, version }, change);
    } finally {
      await close();
    }
    const document = { registry: address, name: server, version: version ?? null, status };
    const subject = version === undefined ? `all versions of ${server} are` : `${server} ${version} is`;
    const text = `${subject} ${status} in ${address}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});
