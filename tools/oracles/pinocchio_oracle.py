"""What Pinocchio says about a tree, in our conventions.

Free and planar joints have velocities of their own there, and the joints must be added in depth-first order
(the mass matrix is wrong otherwise, without a word): with v_pin = T(q) v, T orthogonal, one has
a_pin = T a + Ṫ v and τ = Tᵀ τ_pin. Quaternions are x, y, z, w there.
"""

import numpy as np
import pinocchio as pin

from rotations import compose, inverse, matrix, pose, rotational_inertia
from trees import VELOCITIES


def velocity_map(kind, q, v):
    """T and Ṫ v of one joint."""
    n = len(v)
    T, T_dot_v = np.eye(n), np.zeros(n)
    if kind == "planar":
        s, c = np.sin(q[2]), np.cos(q[2])
        T[:2, :2] = [[c, s], [-s, c]]
        T_dot_v[:2] = v[2] * np.array([[-s, c], [-c, -s]]) @ v[:2]
    if kind == "free":
        # d/dt (Rᵀ ṗ) at constant ṗ is −w × Rᵀ ṗ, w in B
        T[:3, :3] = matrix(q[3:]).T
        T_dot_v[:3] = -np.cross(v[3:], T[:3, :3] @ v[:3])
    return T, T_dot_v


def joint_model(j):
    kind = j["kind"]
    if kind == "revolute":
        return pin.JointModelRevoluteUnaligned(np.array(j["axis"]))
    if kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(np.array(j["axis"]))
    if kind == "screw":
        return pin.JointModelHelicalUnaligned(np.array(j["axis"]), j["pitch"])
    if kind == "cylindrical":
        both = pin.JointModelComposite()
        both.addJoint(pin.JointModelRevoluteUnaligned(np.array(j["axis"])), pin.SE3.Identity())
        both.addJoint(pin.JointModelPrismaticUnaligned(np.array(j["axis"])), pin.SE3.Identity())
        return both
    if kind == "universal":
        return pin.JointModelUniversal(np.array(j["first"]), np.array(j["second"]))
    return {"ball": pin.JointModelSpherical, "planar": pin.JointModelPlanar, "free": pin.JointModelFreeFlyer}[kind]()


def pin_q(kind, q):
    if kind == "ball":
        return [*q[1:], q[0]]
    if kind == "planar":
        return [q[0], q[1], np.cos(q[2]), np.sin(q[2])]
    if kind == "free":
        return [*q[:3], *q[4:], q[3]]
    return list(q)


class Oracle:
    def __init__(self, tree, q, v):
        self.tree = tree
        self.model = pin.Model()
        self.model.gravity.linear = np.array(tree["gravity"])
        # of each body: the joint that moves it, and its own frame seen from there
        self.place = {None: (0, (np.eye(3), np.zeros(3)))}
        self.bodies = {body["name"]: body for body in tree["bodies"]}
        self.add_below(None)
        self.frames = {}
        for name, (joint, X) in self.place.items():
            if name is not None:
                frame = pin.Frame(name, joint, 0, pin.SE3(*X), pin.FrameType.OP_FRAME)
                self.frames[name] = self.model.addFrame(frame)
        self.data = self.model.createData()
        self.convert(np.array(q), np.array(v))
        self.v = self.T @ v

    def add_below(self, body):
        for j in self.tree["joints"]:
            if j["parent"] == body:
                self.add(j)
                self.add_below(j["child"])

    def add(self, j):
        joint, X_U = self.place[j["parent"]]
        body = self.bodies[j["child"]]
        X_J, X_CM = compose(X_U, pose(j["frame_parent"])), pose(j["frame_child"])
        if j["kind"] == "fixed":
            X = compose(X_J, inverse(X_CM))
        else:
            joint = self.model.addJoint(joint, joint_model(j), pin.SE3(*X_J), j["name"])
            X = inverse(X_CM)
        self.place[body["name"]] = (joint, X)
        inertia = pin.Inertia(body["mass"], np.array(body["com"]), rotational_inertia(body))
        self.model.appendBodyToJoint(joint, inertia, pin.SE3(*X))

    def convert(self, q, v):
        """q and v as Pinocchio wants them, T, and Ṫ v."""
        nq, nv = self.model.nq, self.model.nv
        assert nv == len(v)
        self.q, self.T, self.T_dot_v, armature = np.zeros(nq), np.zeros((nv, nv)), np.zeros(nv), np.zeros(nv)
        for j in self.tree["joints"]:
            kind = j["kind"]
            n = len(VELOCITIES[kind])
            q_j, q = np.split(q, [n + (kind in ["ball", "free"])])
            v_j, v = np.split(v, [n])
            if kind == "fixed":
                continue
            joint = self.model.joints[self.model.getJointId(j["name"])]
            there, here = slice(joint.idx_v, joint.idx_v + n), slice(nv - len(v) - n, nv - len(v))
            self.q[joint.idx_q:joint.idx_q + joint.nq] = pin_q(kind, q_j)
            self.T[there, here], self.T_dot_v[there] = velocity_map(kind, q_j, v_j)
            armature[there] = j.get("armature", np.zeros(n))
        self.model.armature = armature

    def mass_matrix(self):
        upper = np.triu(pin.crba(self.model, self.data, self.q).reshape(len(self.v), len(self.v)))
        return self.T.T @ (upper + np.triu(upper, 1).T) @ self.T

    def inverse_dynamics(self, a, forces=()):
        a = self.T @ a + self.T_dot_v
        return self.T.T @ pin.rnea(self.model, self.data, self.q, self.v, a, self.at_joints(forces))

    def bias(self):
        # Pinocchio counts an armature as if it were carried by Ṫ v too: zero where T is not constant
        return self.inverse_dynamics(np.zeros(len(self.v)))

    def gravity(self):
        return self.T.T @ pin.computeGeneralizedGravity(self.model, self.data, self.q)

    def forward_dynamics(self, tau, forces):
        a = pin.aba(self.model, self.data, self.q, self.v, self.T @ tau, self.at_joints(forces))
        return self.T.T @ (a - self.T_dot_v)

    def at_joints(self, forces):
        """External forces as Pinocchio wants them: one for each joint, in the joint's frame."""
        sums = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for force in forces:
            joint, X = self.place[force["body"]]
            sums[joint] += pin.SE3(*X).act(pin.Force(np.array(force["force"]), np.array(force["torque"])))
        result = pin.StdVec_Force()
        result.extend(sums)
        return result

    def kinematics(self):
        """Pose, angular velocity and velocity of the origin of each body, in the world."""
        pin.forwardKinematics(self.model, self.data, self.q, self.v)
        pin.updateFramePlacements(self.model, self.data)
        result = []
        for body in self.tree["bodies"]:
            frame = self.frames[body["name"]]
            X = self.data.oMf[frame]
            V = pin.getFrameVelocity(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            result.append({
                "R": X.rotation.flatten().tolist(),
                "p": X.translation.tolist(),
                "w": V.angular.tolist(),
                "v": V.linear.tolist(),
            })
        return result

    def at_point(self, point):
        """Of a point that a body carries, each with the angular part first and in the world: its Jacobian, and
        the acceleration of body and point when all joint accelerations are zero."""
        joint, X = self.place[point["body"]]
        at = pin.SE3(*compose(X, (np.eye(3), np.array(point["p"]))))
        frame = self.model.addFrame(pin.Frame(f"f{self.model.nframes}", joint, 0, at, pin.FrameType.OP_FRAME))
        self.data = self.model.createData()
        J = pin.computeFrameJacobian(self.model, self.data, self.q, frame, pin.LOCAL_WORLD_ALIGNED)
        # a matrix of one column comes as a vector
        J = J.reshape(6, len(self.v)) @ self.T
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.T_dot_v)
        A = pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
        return np.vstack([J[3:], J[:3]]), np.concatenate([A.angular, A.linear])

    def totals(self):
        """Centre of mass, its velocity, momentum about the world's origin, energies. Bodies that are fixed to
        the world have a place but no joint, and Pinocchio does not count them: they are added here."""
        data, model = self.data, self.model
        com, v_com, mass = np.zeros(3), np.zeros(3), 0.0
        linear, angular = np.zeros(3), np.zeros(3)
        potential = 0.0
        if model.njoints > 1:
            com = pin.centerOfMass(model, data, self.q, self.v).copy()
            v_com, mass = data.vcom[0].copy(), data.mass[0]
            h = pin.computeCentroidalMomentum(model, data, self.q, self.v)
            linear = h.linear.copy()
            angular = h.angular + np.cross(com, linear)
            potential = pin.computePotentialEnergy(model, data, self.q)
        com, v_com = com * mass, v_com * mass
        for name, (joint, X) in self.place.items():
            if name is not None and joint == 0:
                body = self.bodies[name]
                p = X[0] @ np.array(body["com"]) + X[1]
                com += body["mass"] * p
                potential -= body["mass"] * np.dot(self.tree["gravity"], p)
                mass += body["mass"]
        return {
            "mass": float(mass),
            "com": (com / mass).tolist(),
            "v_com": (v_com / mass).tolist(),
            "linear_momentum": linear.tolist(),
            "angular_momentum": angular.tolist(),
            **self.energies(potential),
        }

    def energies(self, potential):
        """Pinocchio 4.1 counts the armature of some joint types in the kinetic energy and of others not: it is
        taken out there and stated apart."""
        armature, kinetic = self.model.armature.copy(), 0.0
        if self.model.njoints > 1:
            self.model.armature = np.zeros(len(armature))
            kinetic = pin.computeKineticEnergy(self.model, self.data, self.q, self.v)
            self.model.armature = armature
        return {
            "kinetic_energy": float(kinetic),
            "kinetic_energy_of_armature": 0.5 * float(armature @ self.v**2),
            "potential_energy": float(potential),
        }


def lower(M):
    return [M[i, : i + 1].tolist() for i in range(len(M))]


def results(tree, state, tau_of, forces, points):
    """All results for one tree. `tau_of` chooses the joint forces, given the mass matrix."""
    oracle = Oracle(tree, state["q"], state["v"])
    a = np.array(state["a"])
    M = oracle.mass_matrix()
    M = (M + M.T) / 2
    bias = oracle.bias()
    tau = tau_of(M)
    at_points = [oracle.at_point(point) for point in points]
    result = {
        "mass_matrix": lower(M),
        "bias": bias.tolist(),
        "gravity": oracle.gravity().tolist(),
        "inverse_dynamics": oracle.inverse_dynamics(a).tolist(),
        "inverse_dynamics_with_forces": oracle.inverse_dynamics(a, forces).tolist(),
        "tau": tau.tolist(),
        "forward_dynamics": oracle.forward_dynamics(tau, forces).tolist(),
        "kinematics": oracle.kinematics(),
        "totals": oracle.totals(),
        "jacobians": [J.tolist() for J, _ in at_points],
        "bias_accelerations": [A.tolist() for _, A in at_points],
    }
    check(oracle, state, tau, forces, result, M)
    return result


def check(oracle, state, tau, forces, result, M):
    """The numbers fit together: a slip in the conversions above would show here first."""
    v, a = np.array(state["v"]), np.array(state["a"])
    close = lambda x, y, scale: np.all(np.abs(np.array(x) - y) <= 1e-12 * (np.max(scale, initial=0.0) + 1e-300))
    rows = np.abs(M) @ np.abs(a) + np.abs(result["bias"])
    assert close(result["inverse_dynamics"], M @ a + np.array(result["bias"]), rows)
    energy = 0.5 * v @ M @ v
    totals = result["totals"]
    assert close(totals["kinetic_energy"] + totals["kinetic_energy_of_armature"], energy, energy)
    total = tau - np.array(result["bias"])
    size = np.abs(total)
    for force in forces:
        J, _ = oracle.at_point({"body": force["body"], "p": [0.0, 0.0, 0.0]})
        R = matrix_of(oracle, force["body"])
        wrench = np.concatenate([R @ force["torque"], R @ force["force"]])
        total, size = total + J.T @ wrench, size + np.abs(J.T) @ np.abs(wrench)
    a = np.array(result["forward_dynamics"])
    assert close(M @ a, total, size + np.abs(M) @ np.abs(a))


def matrix_of(oracle, body):
    pin.framesForwardKinematics(oracle.model, oracle.data, oracle.q)
    return oracle.data.oMf[oracle.frames[body]].rotation
