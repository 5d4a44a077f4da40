import type { BaseUrlFrom } from '../project/project-config.ts';

/** Words of cures that depend on who named the target's address. */
export type AddressWords = { readonly setting: string; readonly host: string; readonly port: string };

const words: Readonly<Record<BaseUrlFrom, AddressWords>> = {
  config: {
    setting: '`targets.http.base_url`',
    host: 'inside the container network, which the executor must be in, it is the compose service name; from this machine use --base-url with a published port',
    port: 'the port inside the container network, not the published one',
  },
  flag: {
    setting: '`--base-url`',
    host: 'outside containers it is localhost or another name that this machine knows, inside their network the compose service name',
    port: 'outside containers the published port, inside their network the one that the target itself listens on',
  },
};

/** The words for an address that came from there. */
export function addressWords(from: BaseUrlFrom): AddressWords {
  return words[from];
}
