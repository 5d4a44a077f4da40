/** Chromium for a test, without whatever it would call out for, in a profile of its own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts it; the caller closes it. Playwright gives it a new empty profile and deletes that afterwards. */
export async function openChromium(): Promise<Browser> {
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error('there is no Chromium: apt-get install -y chromium');
  return chromium.launch({ executablePath, args });
}
