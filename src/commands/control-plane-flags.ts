/** Flags of every command that talks to a control plane. */
import type { Flags } from './command.ts';

/** To be spread into a command's own. */
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
    describe: 'certificates to trust besides the usual ones',
    variable: 'VP_CA',
  },
  'allow-insecure': {
    type: 'boolean',
    default: false,
    describe: 'send the credential over plain http to another machine',
    variable: 'VP_ALLOW_INSECURE',
  },
} as const satisfies Flags;
