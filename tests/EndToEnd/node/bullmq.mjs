// Drives BullMQ with its scripts: node bullmq.mjs PORT. Exits with 0 and prints "ok" where all is well. Many
// workers share a queue of plain, delayed, prioritized, failing and repeated jobs; a flow waits for its children; a
// queue limits its rate.
import assert from 'node:assert/strict';
import { FlowProducer, Queue, QueueEvents, Worker } from 'bullmq';

const port = Number(process.argv[2]);
const connection = { host: '127.0.0.1', port, connectTimeout: 300_000, maxRetriesPerRequest: null };
const patienceMs = 300_000;
const open = [];

function keep(closable) {
  open.push(closable);
  closable.on('error', (error) => { throw error; });
  return closable;
}

function within(promise, what) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`${what}: late`)), patienceMs).unref());
  return Promise.race([promise, late]);
}

async function until(isMet, what) {
  for (const limit = Date.now() + patienceMs; !await isMet();) {
    assert.ok(Date.now() < limit, `${what}: late`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function manyWorkers() {
  const queue = keep(new Queue('many', { connection }));
  const done = new Map();
  for (let worker = 0; worker < 4; worker++) {
    keep(new Worker('many', async (job) => {
      done.set(job.id, (done.get(job.id) ?? 0) + 1);
      if (job.name === 'fails once' && job.attemptsMade === 0) throw new Error('once');
      await job.updateProgress(50);
      await job.log('half');
      return job.data.number * 2;
    }, { connection, concurrency: 8 }));
  }

  const plain = Array.from({ length: 300 }, (_, number) => ({ name: 'plain', data: { number } }));
  const jobs = await queue.addBulk(plain);
  jobs.push(await queue.add('delayed', { number: 1000 }, { delay: 200 }));
  jobs.push(await queue.add('first', { number: 1001 }, { priority: 1 }));
  jobs.push(await queue.add('second', { number: 1002 }, { priority: 7 }));
  jobs.push(await queue.add('named', { number: 1003 }, { jobId: 'own' }));
  const failing = await queue.add('fails once', { number: 1004 }, { attempts: 2, backoff: 10 });
  jobs.push(failing);
  assert.equal((await queue.add('again', { number: 9 }, { jobId: 'own' })).id, 'own');
  // By default the first XREAD begins at '$', and may be sent after a job that was found unfinished has finished.
  const events = keep(new QueueEvents('many', { connection, lastEventId: '0-0' }));
  for (const job of jobs) {
    const result = await within(job.waitUntilFinished(events), `job ${job.id}`);
    assert.equal(result, job.data.number * 2);
    assert.equal(done.get(job.id), job === failing ? 2 : 1, `times that job ${job.id} ran`);
  }

  assert.deepEqual(await queue.getJobCounts('completed', 'failed', 'wait', 'active', 'delayed', 'prioritized'),
    { completed: jobs.length, failed: 0, wait: 0, active: 0, delayed: 0, prioritized: 0 });
  assert.equal((await queue.getJob('own')).progress, 50);
  assert.equal((await queue.getJobLogs('own')).count, 1);
  assert.equal((await queue.clean(0, 1000, 'completed')).length, jobs.length);
  await queue.obliterate();
}

async function repeated() {
  const queue = keep(new Queue('repeated', { connection }));
  let count = 0;
  keep(new Worker('repeated', async () => { count++; }, { connection }));
  await queue.upsertJobScheduler('each', { every: 100 }, { name: 'tick' });
  await until(() => count >= 3, 'three ticks');
  assert.equal((await queue.getJobSchedulers()).length, 1);
  assert.ok(await queue.removeJobScheduler('each'));
}

async function flows() {
  const queue = keep(new Queue('parents', { connection }));
  keep(new Worker('parents', async (job) => {
    const values = Object.values(await job.getChildrenValues());
    return values.reduce((sum, value) => sum + value, 0);
  }, { connection }));
  keep(new Worker('children', async (job) => job.data.number, { connection, concurrency: 4 }));
  const flow = keep(new FlowProducer({ connection }));
  const children = Array.from({ length: 10 }, (_, number) => ({ name: 'child', queueName: 'children', data: { number } }));
  const tree = await flow.add({ name: 'parent', queueName: 'parents', children });
  await until(() => tree.job.isCompleted(), 'a flow');
  assert.equal((await queue.getJob(tree.job.id)).returnvalue, 45);
}

async function rateLimit() {
  const queue = keep(new Queue('slow', { connection }));
  let count = 0;
  keep(new Worker('slow', async () => { count++; },
    { connection, concurrency: 10, limiter: { max: 5, duration: 3_600_000 }, maximumRateLimitDelay: 50 }));
  await queue.addBulk(Array.from({ length: 15 }, () => ({ name: 'limited', data: {} })));
  for (const allowed of [5, 10]) {
    await until(() => count >= allowed, 'limited jobs');
    await until(async () => await queue.getRateLimitTtl(5) > 0, 'the limit');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(count, allowed);
    await queue.removeRateLimitKey();
  }

  await until(() => count === 15, 'the last jobs');
}

async function paused() {
  const queue = keep(new Queue('paused', { connection }));
  await queue.pause();
  let count = 0;
  keep(new Worker('paused', async () => { count++; }, { connection }));
  await queue.add('waits', {});
  assert.ok(await queue.isPaused());
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(count, 0);
  await queue.resume();
  await until(() => count === 1, 'a resumed job');
  await queue.drain();
}

await Promise.all([manyWorkers(), repeated(), flows(), rateLimit(), paused()]);
await Promise.all(open.map((closable) => closable.close()));
console.log('ok');
