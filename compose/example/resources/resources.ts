import { document } from './document.ts';
import { envelope } from './envelope.ts';
import { folder } from './folder.ts';
import type { Resource } from './resource.ts';
import { template } from './template.ts';

/** Every collection; a referenced one comes before those that refer to it. */
export const resources: readonly Resource[] = [folder, template, document, envelope];
