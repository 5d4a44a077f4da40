import type { FlagDefinitions, Positional } from '../../command-line/command.ts';
import { certificatesFlag } from '../role-flags.ts';

export const controlPlaneFlags = {
  'control-plane': {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL or local port of the control plane',
    default: 'http://127.0.0.1:7700',
    variable: 'VP_CONTROL_PLANE',
    inherits: 'control-plane',
  },
  ca: { ...certificatesFlag, variable: 'VP_CA' },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'send the credential to another machine over plain http',
    variable: 'VP_ALLOW_INSECURE',
  },
} as const satisfies FlagDefinitions;

/** Commands that remove something or only filter do not inherit it: what is not on the line must not surprise. */
export const instanceFlag = {
  type: 'string',
  placeholder: '<id>',
  describe: 'the instance; may be omitted if there is only one',
  variable: 'VP_INSTANCE',
  inherits: 'instance',
  kind: 'instance',
} as const satisfies FlagDefinitions[string];

export const instanceArgument = {
  name: 'instance',
  describe: 'instance id; may be omitted where VP_INSTANCE or `vp use` names one',
  required: true,
  variable: 'VP_INSTANCE',
  inherits: 'instance',
  kind: 'instance',
} as const satisfies Positional;

export const hubArgument = {
  name: 'hub',
  describe: 'slug of the hub',
  required: true,
  kind: 'hub',
} as const satisfies Positional;
