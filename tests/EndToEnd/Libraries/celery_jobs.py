"""Drives Celery: python3 celery_jobs.py PORT. A worker of four threads runs tasks, chains, groups, chords,
tasks with a delay and tasks that fail at first. Prints "ok" where all is well."""
import sys

from celery import Celery, chain, chord, group
from celery.contrib.testing.worker import start_worker

url = f"redis://127.0.0.1:{sys.argv[1]}/5"
patience = 300
app = Celery("jobs", broker=url, backend=url)
app.conf.update(task_track_started=True, broker_connection_retry_on_startup=True)


@app.task
def add(left, right):
    return left + right


@app.task
def total(numbers):
    return sum(numbers)


@app.task(bind=True, max_retries=2, default_retry_delay=0)
def fails_once(self):
    if self.request.retries == 0:
        raise self.retry()
    return "done"


with start_worker(app, pool="threads", concurrency=4, perform_ping_check=False, shutdown_timeout=patience):
    assert add.delay(2, 3).get(timeout=patience) == 5
    assert chain(add.s(1, 2), add.s(4), add.s(8))().get(timeout=patience) == 15
    results = group(add.s(number, number) for number in range(30))()
    assert results.get(timeout=patience) == [2 * number for number in range(30)]
    assert chord((add.s(number, 1) for number in range(20)), total.s())().get(timeout=patience) == 210
    assert add.apply_async((1, 1), countdown=0.2).get(timeout=patience) == 2
    assert fails_once.delay().get(timeout=patience) == "done"
print("ok")
