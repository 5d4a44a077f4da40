import type { Flags } from '../../command-line/command.ts';

export const controlPlaneFlags = {
  'control-plane': {
    type: 'string',
    placeholder: '<url>',
    describe: 'address of the control plane',
    default: 'http://127.0.0.1:7700',
    variable: 'VP_CONTROL_PLANE',
  },
  ca: {
    type: 'string',
    placeholder: '<file.pem>',
    describe: 'additional trusted CA certificates',
    variable: 'VP_CA',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'send the credential to another machine over plain http',
    variable: 'VP_ALLOW_INSECURE',
  },
} as const satisfies Flags;
