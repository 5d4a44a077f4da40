import { registryStatuses } from '../contract/registry-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { proveTo, setStatusAt } from '../registry/publisher.ts';
import { command } from './command.ts';
import { domainOfName } from './registry/document-files.ts';
import {
  callFlags,
  keyFlags,
  keyFor,
  openRemote,
  recordsFor,
  registryAddress,
  resolverFlags,
} from './registry/target.ts';

const name = 'registry status';

/** `vp registry status`. */
export const registryStatusCommand = command({
  name,
  summary: 'say in a registry that what you published is deprecated or deleted, or active again',
  positionals: [
    { name: 'server', describe: 'its name, such as com.example/hub', required: true },
    { name: 'status', describe: 'active, deprecated or deleted', required: true },
  ],
  flags: {
    ...keyFlags,
    of: { type: 'string', placeholder: '<version>', describe: 'one version; all of them unless given' },
    message: {
      type: 'string',
      placeholder: '<text>',
      describe: 'what people should know, such as what to use instead',
    },
    domain: {
      type: 'string',
      placeholder: '<domain>',
      describe: 'the domain that is proven, when it is above that of the name',
    },
    ...resolverFlags,
    ...callFlags,
  },
  examples: [
    ['vp registry status com.example/hub deprecated --of 1.0.0 --message "use 2.0.0"', 'one version'],
    ['vp registry status com.example/hub deleted', 'all versions; they are shown to who asks for deleted ones'],
  ],
  notes:
    'Nothing is removed by it: what was published stays as it is. With --json: {"registry", "name", "version", "status"}.',
  async run({ flags, words: [server = '', word = ''], json, environment }) {
    const status = registryStatuses.find((one) => one === word);
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
    const address = registryAddress(flags.registry, environment, `vp ${name}`);
    const domain = domainOfName(server, flags.domain);
    const key = keyFor(flags, address, environment);
    const records = recordsFor(flags, `vp ${name}`);
    const { remote, close } = openRemote(flags, address, environment);
    const parts = { remote, key, records, clock: environment.clock };
    const version = flags.of;
    try {
      const token = await proveTo(parts, domain);
      const to = { status, ...(flags.message === undefined ? {} : { statusMessage: flags.message }) };
      await setStatusAt(parts, { token, domain, name: server, version }, to);
    } finally {
      await close();
    }
    const told = { registry: address, name: server, version: version ?? null, status };
    const which = version === undefined ? `all versions of ${server} are` : `${server} ${version} is`;
    const text = `${which} ${status} in ${address}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify(told, null, 2)}\n` : text);
    return exitCode.done;
  },
});
