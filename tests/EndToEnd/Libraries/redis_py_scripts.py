"""Drives the scripts and locks of redis-py: python3 redis_py_scripts.py PORT.
Prints "ok" where all is well."""
import sys
import threading

import redis
from redis.exceptions import LockNotOwnedError, NoScriptError, ResponseError

client = redis.Redis(port=int(sys.argv[1]), socket_timeout=300)


def raises(error, text, action):
    try:
        action()
    except error as caught:
        assert text in str(caught), caught
        return
    raise AssertionError(f"no error: {text}")


def scripts():
    multiply = client.register_script("return redis.call('GET', KEYS[1]) * ARGV[1]")
    client.set("py:n", 3)
    assert multiply(keys=["py:n"], args=[7]) == 21
    client.script_flush()
    assert multiply(keys=["py:n"], args=[2]) == 6
    pipe = client.pipeline()
    pipe.set("py:n", 4)
    multiply(keys=["py:n"], args=[5], client=pipe)
    assert pipe.execute() == [True, 20]
    raises(NoScriptError, "No matching script", lambda: client.evalsha("0" * 40, 0))
    raises(ResponseError, "Script attempted to access nonexistent global variable 'nothing'",
           lambda: client.eval("return nothing", 0))
    assert client.eval("return {1, 3.9, 'a', false, {2}, nil, 5}", 0) == [1, 3, b"a", None, [2]]
    packed = "return cjson.encode(cmsgpack.unpack(cmsgpack.pack({a = {1, 2}})))"
    assert client.eval(packed, 0) == b'{"a":[1,2]}'


def locks():
    total = [0]

    def work():
        for _ in range(20):
            with client.lock("py:lock", timeout=300, sleep=0.001):
                seen = total[0]
                client.ping()
                total[0] = seen + 1

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total[0] == 100, total
    lock = client.lock("py:other", timeout=100)
    assert lock.acquire(blocking=False)
    assert not client.lock("py:other").acquire(blocking=False)
    assert lock.extend(200) and client.ttl("py:other") > 200
    assert lock.reacquire() and client.ttl("py:other") <= 100
    client.set("py:other", "taken by another")
    raises(LockNotOwnedError, "no longer owned", lock.release)


scripts()
locks()
print("ok")
