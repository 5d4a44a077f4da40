/**
 * In place of the package `async-hook-domain`, by which tap finds the test that an uncaught error belongs to. That follows each promise and
 * each turn of the event loop through hooks of Node, which takes 10 to 25 % of the processor time of tests that call a server in their
 * process. The context of `AsyncLocalStorage` is passed on by Node itself.
 */
import { AsyncLocalStorage, AsyncResource, executionAsyncResource } from 'node:async_hooks';

const storage = new AsyncLocalStorage();
const active = new Set();
const emitUsual = process.emit;

/** The innermost domain that is not over yet. */
function findDomain() {
  let domain = storage.getStore();
  while (domain?.destroyed) domain = domain.parent;
  return domain;
}

/** Whether a domain took the error. */
function handle(error, origin) {
  if (process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0) return false;
  const domain = findDomain();
  if (domain === undefined) return false;
  try {
    domain.onerror(error, origin);
  } catch (newError) {
    domain.destroy();
    if (!handle(newError, origin)) throw newError;
  }
  return true;
}

function onUncaughtException(error, origin) {
  if (!handle(error, origin)) return;
  // Node gives it to this function, in place of ending the process.
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null));
}

function emit(event, ...args) {
  const isUnhandled = event === 'unhandledRejection' && process.listenerCount(event) === 0;
  return (isUnhandled && handle(args[0], event)) || emitUsual.call(process, event, ...args);
}

/** `onerror` gets what is thrown by what is started from here, and with a resource as the current one, by what that runs. */
export class Domain {
  parent = findDomain();
  destroyed = false;

  constructor(onerror) {
    this.onerror = onerror;
    const resource = executionAsyncResource();
    if (resource instanceof AsyncResource)
      resource.runInAsyncScope = (run, self, ...args) =>
        AsyncResource.prototype.runInAsyncScope.call(resource, () => storage.run(this, () => run.apply(self, args)));
    else storage.enterWith(this);
    if (active.size === 0) {
      process.on('uncaughtExceptionMonitor', onUncaughtException);
      process.emit = emit;
    }
    active.add(this);
  }

  destroy() {
    this.destroyed = true;
    if (!active.delete(this) || active.size > 0) return;
    process.off('uncaughtExceptionMonitor', onUncaughtException);
    process.emit = emitUsual;
  }
}
